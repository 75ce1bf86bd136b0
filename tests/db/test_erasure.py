"""Personal data goes, the proof stays (semantics §10)."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from django.db import DatabaseError, connection, transaction

from bpm import engine
from bpm.core.values import Erased
from bpm.models import HistoryEvent, Incident, Variable
from bpm.queries.replay import replay_at
from bpm.shell.export import ExportUnreadable, export_lines, verify_export
from bpm.shell.history import digest_of
from bpm.shell.retention import changing_history
from bpm.shell.stored_history import fold
from tests.support.database_host import DatabaseHost
from tests.support.play import Case, Play
from tests.support.proof import findings, rich_case, sql

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def case() -> Iterator[Case]:
    host = DatabaseHost(checked=False)
    found = rich_case(Play(host))
    yield found
    host.close()


def _texts(case: Case) -> str:
    return "\n".join(HistoryEvent.objects.filter(instance__id=case.id).values_list("payload", flat=True))


def test_of_a_running_instance_what_is_no_longer_current_is_erased(case: Case) -> None:
    answer = engine.erase_personal_data(case.id, reason="asked for", actor="kim")
    assert answer["erased_events"] > 0
    assert answer["erased_values"] == 0
    assert '"first"' not in _texts(case)
    assert '"second"' in _texts(case)
    assert case.variables()["secret"] == "second"
    assert findings(case) == []
    again = engine.erase_personal_data(case.id)
    assert again["erased_events"] == 0


def test_of_an_ended_instance_all_is_erased_and_it_can_still_be_verified(case: Case) -> None:
    hashes = list(HistoryEvent.objects.filter(instance__id=case.id).values_list("sequence", "hash"))
    engine.cancel(case.id, actor="kim")
    answer = engine.erase_personal_data(case.id, actor="kim")
    assert answer["erased_values"] > 0
    text = _texts(case)
    for word in ('"first"', '"second"', "hello", "look at this", "broken"):
        assert word not in text
    assert not Variable.objects.filter(instance__id=case.id).exists()
    assert set(Incident.objects.filter(instance__id=case.id).values_list("message", flat=True)) == {""}
    assert findings(case) == []
    after = dict(HistoryEvent.objects.filter(instance__id=case.id).values_list("sequence", "hash"))
    assert {sequence: after[sequence] for sequence, _ in hashes} == dict(hashes)


def test_the_fold_says_what_was_erased(case: Case) -> None:
    first = next(row.sequence for row in _events(case, "VariableSet") if '"secret"' in row.payload)
    engine.erase_personal_data(case.id, variables=["secret"])
    state = fold(case.id, first)
    value = state.variables[case.id, "secret"].value
    assert isinstance(value, Erased)
    assert value == HistoryEvent.objects.get(instance__id=case.id, sequence=first).digest
    shown = replay_at(case.id, first, tenant="")
    assert shown.variables[case.id]["secret"] == {"erased": str(value)}
    assert fold(case.id).variables[case.id, "secret"].value == '"second"'


def _events(case: Case, kind: str) -> list[HistoryEvent]:
    rows = HistoryEvent.objects.filter(instance__id=case.id, event_type=kind)
    return list(rows.order_by("sequence"))


def test_only_the_named_variables_are_erased(case: Case) -> None:
    engine.cancel(case.id)
    engine.erase_personal_data(case.id, variables=["secret"])
    assert "hello" in _texts(case)
    assert '"second"' not in _texts(case)
    names = set(Variable.objects.filter(instance__id=case.id).values_list("name", flat=True))
    assert "secret" not in names
    assert "text" in names
    assert findings(case) == []


def test_an_erasure_that_no_event_tells_of_is_found(case: Case) -> None:
    (comment,) = _events(case, "CommentWritten")
    for digest, rule in (
        (digest_of(comment.salt, comment.payload), "ErasureWrong"),
        ("0" * 64, "ChainBroken"),
    ):
        with transaction.atomic(), changing_history():
            empty = "UPDATE bpm_historyevent SET payload = '', salt = '', digest = %s WHERE event_type = %s"
            sql(empty, digest, "CommentWritten")
        assert rule in {finding.rule for finding in findings(case)}


@pytest.mark.parametrize(
    "statement",
    ["UPDATE bpm_historyevent SET actor = 'eve'", "DELETE FROM bpm_historyevent WHERE sequence = 3"],
)
def test_the_database_refuses_to_change_a_history(case: Case, statement: str) -> None:
    with pytest.raises(DatabaseError, match="append only"):
        sql(statement)
    with pytest.raises(DatabaseError, match="append only"), transaction.atomic():
        sql(statement)
    assert findings(case) == []


@pytest.mark.sqlite
def test_sqlite_refuses_to_replace_events_as_well(case: Case) -> None:
    names = [field.attname for field in HistoryEvent._meta.local_concrete_fields]
    values = ", ".join("'eve'" if name == "actor" else name for name in names)
    into = f"INTO bpm_historyevent ({', '.join(names)}) SELECT {values} FROM bpm_historyevent"
    for insert in (f"INSERT OR REPLACE {into}", f"REPLACE {into}"):
        with pytest.raises(DatabaseError, match="append only"):
            sql(insert)
    on_conflict = f"INSERT {into} WHERE true ON CONFLICT DO UPDATE SET actor = 'eve'"
    with pytest.raises(DatabaseError, match="append only"):
        sql(on_conflict)
    assert findings(case) == []


def test_the_mark_ends_with_its_block_and_with_its_transaction(case: Case) -> None:
    with transaction.atomic():
        with changing_history():
            sql("UPDATE bpm_historyevent SET actor = actor")
        with pytest.raises(DatabaseError, match="append only"), transaction.atomic():
            sql("UPDATE bpm_historyevent SET actor = 'eve'")
    with pytest.raises(RuntimeError), changing_history():
        pass
    with pytest.raises(DatabaseError, match="append only"):
        sql("UPDATE bpm_historyevent SET actor = 'eve'")


def test_inserting_an_event_fires_no_trigger() -> None:
    if connection.vendor == "postgresql":
        rows = sql(
            "SELECT tgtype FROM pg_trigger WHERE tgrelid = 'bpm_historyevent'::regclass AND NOT tgisinternal"
        )
        insert = 4
        assert rows
        assert all(not kind & insert for (kind,) in rows)
    else:
        rows = sql("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'bpm_historyevent'")
        assert len(rows) == 2
        assert all("BEFORE INSERT" not in text and "AFTER INSERT" not in text for (text,) in rows)


# exports


def test_an_export_is_verified_without_a_database(case: Case) -> None:
    lines = list(export_lines(case.id))
    assert len(lines) == len(case.events) + 2
    (result,) = verify_export(lines)
    assert (result.instance, result.findings, result.events) == (case.id, [], len(case.events))


def test_an_export_of_an_erased_history_is_verified_too(case: Case) -> None:
    engine.cancel(case.id)
    engine.erase_personal_data(case.id)
    (result,) = verify_export(list(export_lines(case.id)))
    assert result.findings == []


@pytest.mark.parametrize(
    "name", ["payload", "actor", "token", "occurred_at", "node", "event_type", "hash", "salt"]
)
def test_a_change_in_an_export_is_found(case: Case, name: str) -> None:
    lines = list(export_lines(case.id))
    number = next(n for n, line in enumerate(lines) if '"VariableSet"' in line)
    values = json.loads(lines[number])
    values[name] = {
        "payload": values["payload"].replace("1", "2"),
        "token": "01900000-0000-7000-8000-0000000000ff",
        "occurred_at": "2001-01-01T00:00:00+00:00",
        "event_type": "VariableRemoved",
    }.get(name, "zz")
    lines[number] = json.dumps(values) + "\n"
    (result,) = verify_export(lines)
    assert result.findings


def test_lines_that_are_missing_in_an_export_are_found(case: Case) -> None:
    lines = list(export_lines(case.id))
    (result,) = verify_export([*lines[:3], *lines[4:]])
    assert {"SequenceGap", "ChainBroken"} & {finding.rule for finding in result.findings}
    (result,) = verify_export([*lines[:-2], lines[-1]])
    assert "ChainBroken" in {finding.rule for finding in result.findings}
    for wrong in (
        [*lines[:-1]],
        lines[1:],
        [lines[0], "x"],
        [lines[0].replace("bpm-history", "other")],
        ["[]"],
    ):
        with pytest.raises(ExportUnreadable):
            list(verify_export(wrong))
