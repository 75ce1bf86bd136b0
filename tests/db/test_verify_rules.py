"""Damage in rows and events is told by the rule that it breaks, at its place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import transaction

from bpm.models import HistoryEvent, ProcessInstance
from bpm.shell.history import chain_hash, digest_of
from bpm.shell.retention import changing_history
from bpm.shell.stored_history import stored_events
from bpm.shell.verifying import findings as names
from tests.support.database_host import DatabaseHost
from tests.support.play import Case, Play
from tests.support.proof import findings, in_table, rich_case, sql

pytestmark = pytest.mark.django_db(transaction=True)

_OF_EVENT = "WHERE instance_id = %s AND event_type = "
_LIVE = "WHERE instance_id = %s AND node = 'b' AND NOT final"
_COMMENT = f"{_OF_EVENT} 'CommentWritten'"
_ASSIGNED = f"{_OF_EVENT} 'UserTaskAssigned'"
DAMAGE = [
    # events
    (f"UPDATE bpm_historyevent SET hash = '0' {_ASSIGNED}", "ChainBroken", "history"),
    (f"UPDATE bpm_historyevent SET actor = 'eve' {_ASSIGNED}", "ChainBroken", "history"),
    (f"UPDATE bpm_historyevent SET node = 'x' {_ASSIGNED}", "ChainBroken", "history"),
    (f"UPDATE bpm_historyevent SET category = 'instance' {_ASSIGNED}", "ColumnWrong", "history"),
    (f"UPDATE bpm_historyevent SET salt = 'x' {_ASSIGNED}", "ColumnWrong", "history"),
    (f"UPDATE bpm_historyevent SET salt = '' {_COMMENT}", "ColumnWrong", "history"),
    (
        f"UPDATE bpm_historyevent SET final = true {_OF_EVENT} 'TokenBlocked' AND node = 'b'",
        "ColumnWrong",
        "history",
    ),
    (f"UPDATE bpm_historyevent SET digest = '0' {_ASSIGNED}", "ErasureWrong", "history"),
    (
        f"UPDATE bpm_historyevent SET digest = '0', payload = '', salt = '' {_ASSIGNED}",
        "ErasureWrong",
        "history",
    ),
    (f"DELETE FROM bpm_historyevent {_ASSIGNED}", "SequenceGap", "history"),
    (f"DELETE FROM bpm_historyevent {_ASSIGNED}", "ChainBroken", "history"),
    (
        f"UPDATE bpm_historyevent SET occurred_at = '2001-02-03 04:05:06' {_ASSIGNED}",
        "TimeBackwards",
        "history",
    ),
    # the instance
    ("UPDATE bpm_processinstance SET last_sequence = 2 WHERE id = %s", "SequenceGap", "instance"),
    ("UPDATE bpm_processinstance SET head = 'x' WHERE id = %s", "ChainBroken", "instance"),
    ("UPDATE bpm_processinstance SET business_key = 'x' WHERE id = %s", "RowsDiffer", "instance"),
    ("UPDATE bpm_processinstance SET live = 77 WHERE id = %s", "InstanceCounters", ""),
    # rows
    (f"UPDATE bpm_token SET status = 'zz' {_LIVE}", "RowsDiffer", ""),
    (f"UPDATE bpm_token SET wait = 'timer' {_LIVE}", "TokenRest", ""),
    (f"UPDATE bpm_token SET wait = 'timer' {_LIVE}", "RowsDiffer", "tokens"),
    ("UPDATE bpm_usertask SET tenant = 'x' WHERE instance_id = %s", "ColumnWrong", "user_tasks"),
    (
        "UPDATE bpm_externaltask SET suspended = true WHERE instance_id = %s AND closed_at IS NULL",
        "ColumnWrong",
        "external_tasks",
    ),
    ("DELETE FROM bpm_usertaskcandidate WHERE instance_id = %s", "RowsDiffer", "candidates"),
    (
        "UPDATE bpm_processinstance SET root = %s WHERE id = %s",
        "NeighbourMissing",
        "instance",
    ),
]
# With hashes that fit: as if the engine had written it.
WRITTEN = [
    (f"UPDATE bpm_historyevent SET event_type = 'Unheard' {_COMMENT}", "NotFoldable"),
    (f"UPDATE bpm_historyevent SET payload = '{{' {_ASSIGNED}", "NotFoldable"),
    (f"UPDATE bpm_historyevent SET payload = '{{}}' {_ASSIGNED}", "NotFoldable"),
    (f"UPDATE bpm_historyevent SET payload = '{{\"x\":1}}' {_ASSIGNED}", "NotFoldable"),
    (
        f"UPDATE bpm_historyevent SET token = %s {_OF_EVENT} 'TokenArrived' AND node = 'b'",
        "TokenInvalidTransition",
    ),
]
_NOBODY = "01900000-0000-7000-8000-0000000000ff"


@pytest.fixture
def case() -> Iterator[Case]:
    host = DatabaseHost(checked=False)
    yield rich_case(Play(host))
    host.close()


def _found(case: Case, statement: str, *, chained: bool = False) -> set[tuple[str, str]]:
    """Return rule and place of what is found after a statement, which is taken back."""
    others = [in_table(_NOBODY)] * (statement.count("%s") - 1)
    with transaction.atomic():
        with changing_history():
            sql(statement, *others, in_table(case.id))
            if chained:
                _chain_anew(case)
        found = {(finding.rule, finding.place) for finding in findings(case)}
        transaction.set_rollback(True)
    return found


def _chain_anew(case: Case) -> None:
    head = ""
    for event in stored_events(case.id):
        at = event.occurred_at.isoformat(timespec="microseconds")
        what = event.sequence, event.event_type, at, event.token or "", event.node or ""
        head = chain_hash(head, *what, digest_of(event.salt, event.payload), event.actor)
        rows = HistoryEvent.objects.filter(instance__id=case.id, sequence=event.sequence)
        rows.update(hash=head)
    ProcessInstance.objects.filter(id=case.id).update(head=head)


def test_each_damage_is_told_by_its_rule_and_place(case: Case) -> None:
    assert findings(case) == []
    for statement, rule, place in DAMAGE:
        assert (rule, place) in _found(case, statement), statement
    for statement, rule in WRITTEN:
        found = _found(case, statement, chained=True)
        assert (rule, "history") in found, statement
        assert "ChainBroken" not in {name for name, _ in found}
    assert findings(case) == []


def test_every_name_of_a_finding_is_told_here() -> None:
    """Strays are looked for over whole tables, not in an instance (`test_verify`)."""
    said = {value for name, value in vars(names).items() if name.isupper() and isinstance(value, str)}
    told = {rule for _, rule, _ in DAMAGE} | {rule for _, rule in WRITTEN}
    assert said - told == {names.STRAY_ROW}
