"""Histories of earlier releases still lead to the states they led to, and have every type of event."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

import pytest

from bpm import engine
from bpm.core import events as e
from bpm.shell.export import verify_export
from bpm.shell.history import BY_NAME, EventShape, _shape, decode_values, payload_text
from bpm.shell.lifting import LIFTS, VERSION_KEY, ShapeUnknown, lift
from bpm.shell.stored_history import Folding, StoredEvent, erasures_in
from tests.support.database_host import DatabaseHost
from tests.support.pages import ROOT
from tests.support.play import Play
from tests.support.stored_histories import StoredHistory, read_histories, state_values

HISTORIES = list(read_histories())
EXAMPLES = sorted((ROOT / "bpm/examples").glob("*.bpmn"))
_ROUNDS = 30


@pytest.mark.parametrize("history", HISTORIES, ids=[history.name for history in HISTORIES])
def test_a_stored_history_leads_where_it_led(history: StoredHistory) -> None:
    (result,) = verify_export(history.lines)
    assert result.findings == []
    folding = _folding(history)
    found = state_values(folding.state)
    for table, expected in history.state.items():
        wanted = {"": expected} if table == "instance" else expected
        actual = {"": found[table]} if table == "instance" else found[table]
        assert set(actual) == set(wanted)
        for key, row in wanted.items():
            # A field that has come since has its default, and is not asked for.
            assert {name: actual[key][name] for name in row} == row, (table, key)


def _folding(history: StoredHistory) -> Folding:
    events = [json.loads(line) for line in history.lines[1:-1]]
    payloads = [event["payload"] for event in events if event["event_type"] == "PersonalDataErased"]
    folding = Folding(json.loads(history.lines[0])["instance_id"], lambda: erasures_in(payloads))
    for event in events:
        stored = StoredEvent(**{**event, "occurred_at": datetime.fromisoformat(event["occurred_at"])})
        folding.apply(folding.decode(stored), stored.occurred_at)
    return folding


def test_every_type_of_event_is_in_a_stored_history() -> None:
    seen = set().union(*(history.types for history in HISTORIES))
    assert set(BY_NAME) - seen == set()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("example", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_an_example_is_played_and_verified(example: Any) -> None:
    host = DatabaseHost()
    play = Play(host)
    (key,) = host.deploy(example.read_bytes())
    case = play.start(key, amount=100, score=80, name="kim")
    for _ in range(_ROUNDS):
        if case.status in ("COMPLETED", "CANCELLED"):
            break
        for task in case.tasks():
            case.finish(task)
        for leased in play.fetch("w", *{row.topic for row in case.state.external_tasks.values()}):
            case.work_leased(leased)
        play.pass_time("PT1H")
    host.close()


# shapes that have changed


def _renamed(values: dict[str, Any]) -> dict[str, Any]:
    return {**{name: value for name, value in values.items() if name != "title"}, "name": values["title"]}


def _scoped(values: dict[str, Any]) -> dict[str, Any]:
    return {"scope": "root", **values}


_SHAPES = {("VariableSet", 1): _renamed, ("VariableSet", 2): _scoped}
"""As if VariableSet had once said `title`, and later no scope."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableSetNow(e.Event):
    """The third version of it."""

    shape_version: ClassVar[int] = 3
    erasable: ClassVar[bool] = True
    scope: str
    name: str
    value: Any


def _shape_now() -> EventShape:
    return _shape(VariableSetNow)._replace(name="VariableSet")


@pytest.mark.parametrize(
    "stored",
    [
        {"title": "x", "value": 1},
        {VERSION_KEY: 2, "name": "x", "value": 1},
        {VERSION_KEY: 3, "scope": "root", "name": "x", "value": 1},
    ],
)
def test_payloads_of_earlier_versions_are_lifted_step_by_step(stored: dict[str, Any]) -> None:
    event = decode_values(_shape_now(), None, None, dict(stored), _SHAPES)
    assert event == VariableSetNow(scope="root", name="x", value=1)


def test_a_version_is_written_only_where_there_is_more_than_one() -> None:
    assert VERSION_KEY not in payload_text(e.VariableSet(scope="s", name="x", value=1))
    assert _shape(VariableSetNow).template.startswith(f'{{"{VERSION_KEY}":3,')


def test_a_shape_that_is_not_known_is_refused() -> None:
    with pytest.raises(ShapeUnknown, match="version 4 cannot be read as version 3"):
        lift("VariableSet", {VERSION_KEY: 4}, 3, _SHAPES)
    with pytest.raises(ShapeUnknown):
        lift("VariableSet", {}, 3, {})


def test_every_earlier_shape_has_a_way_to_the_present_one() -> None:
    needed = {
        (shape.name, version) for shape in BY_NAME.values() for version in range(1, shape.cls.shape_version)
    }
    assert set(LIFTS) == needed


@pytest.mark.django_db(transaction=True)
def test_a_join_that_has_lost_a_token_is_verified() -> None:
    host = DatabaseHost()
    case = Play(host).begin(
        """
        start s -> f
        par f -> a, b, c
        user a -> j
        user b -> j
        user c -> j
        par j -> e
        end e
        """
    )
    case.complete("a")
    case.complete("b")
    waiting = min(case.live("j"), key=lambda token: token.id)
    engine.modify(case.id, instructions=[engine.CancelToken(token=waiting.id)])
    assert case.of(e.JoinRecounted)
    host.close()
