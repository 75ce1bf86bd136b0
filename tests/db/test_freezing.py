"""What is broken is frozen with an incident, and only an operator's release lets it go on (semantics §1, §10)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bpm import engine
from bpm.core import commands as c
from bpm.core.errors import InvariantViolated, Suspended
from bpm.engine import Idempotency
from bpm.models import Incident, ProcessInstance, Verification, VerificationPlace
from bpm.shell.database_clock import database_now
from bpm.shell.execute import execute
from bpm.shell.freezing import freeze
from bpm.shell.requests import Request
from bpm.shell.verification_sweep import HELD, verify_some
from tests.support.database_host import DatabaseHost
from tests.support.play import Case, Play
from tests.support.proof import findings, in_table, sql

pytestmark = pytest.mark.django_db(transaction=True)

_FORK = "start s -> f\npar f -> a, b\nuser a -> j\nuser b -> j\npar j -> e\nend e"


@pytest.fixture
def play() -> Iterator[Play]:
    host = DatabaseHost(checked=False)
    yield Play(host)
    host.close()


def _frozen(case: Case) -> bool:
    row = ProcessInstance.objects.get(id=case.id)
    return (row.status, row.suspended_because) == ("SUSPENDED", "invariant")


def _incidents(case: Case) -> list[str]:
    rows = Incident.objects.filter(instance__id=case.id, kind="InvariantViolated", status="OPEN")
    return list(rows.order_by("id").values_list("message", flat=True))


def _sweep() -> None:
    for _ in range(100):
        swept = verify_some("test")
        assert swept is not None
        if swept.round_over:
            return
    pytest.fail("the round does not end")


def test_freezing_suspends_and_releasing_activates(play: Play) -> None:
    case = play.begin(_FORK)
    assert freeze(case.id, "it is said so")
    assert _frozen(case)
    assert _incidents(case) == ["it is said so"]
    assert findings(case) == []
    with pytest.raises(Suspended):
        case.complete("a")
    with pytest.raises(Suspended):
        engine.activate(case.id, actor="kim")
    engine.activate(case.id, release=True, actor="kim")
    assert case.status == "RUNNING"
    assert _incidents(case) == []
    released = sql("SELECT actor FROM bpm_historyevent WHERE event_type = 'InstanceActivated'")
    assert [row[0] for row in released] == ["kim"]
    case.complete("a")
    case.complete("b")
    assert (case.status, findings(case)) == ("COMPLETED", [])


def test_freezing_again_adds_the_incident_only(play: Play) -> None:
    case = play.begin(_FORK)
    freeze(case.id, "one")
    freeze(case.id, "two")
    assert _incidents(case) == ["one", "two"]
    engine.activate(case.id, release=True)
    assert (_incidents(case), case.status, findings(case)) == ([], "RUNNING", [])


def test_an_instance_suspended_by_somebody_is_frozen_too(play: Play) -> None:
    case = play.begin(_FORK)
    engine.suspend(case.id)
    freeze(case.id, "x")
    assert _frozen(case)
    with pytest.raises(Suspended):
        engine.activate(case.id)
    assert findings(case) == []


def test_an_ended_instance_gets_the_incident_and_keeps_its_end(play: Play) -> None:
    case = play.begin("start s -> e\nend e")
    freeze(case.id, "x")
    assert (case.status, _incidents(case), findings(case)) == ("COMPLETED", ["x"], [])
    engine.activate(case.id, release=True)
    assert (_incidents(case), findings(case)) == ([], [])
    with pytest.raises(engine.errors.InstanceEnded):
        engine.activate(case.id, release=True)


def test_what_cannot_be_suspended_is_frozen_all_the_same(play: Play) -> None:
    case = play.begin(_FORK)
    # A token in this status cannot be suspended, and the next event's number is taken.
    sql("UPDATE bpm_token SET status = 'Created' WHERE node = 'a' AND NOT final")
    sql("UPDATE bpm_processinstance SET last_sequence = 3, head = 'x'")
    assert freeze(case.id, "x")
    assert _frozen(case)


def test_a_command_that_violates_an_invariant_is_rolled_back_and_freezes(play: Play) -> None:
    case = play.begin(_FORK)
    before = len(case.events)
    # The next event would get a number that is taken: the database refuses it.
    sql("UPDATE bpm_processinstance SET last_sequence = last_sequence - 2")
    task = case.tasks("a")[0].id
    with pytest.raises(InvariantViolated):
        execute(Request(c.CompleteUserTask(task=task, actor="kim"), ""))
    assert _frozen(case)
    (message,) = _incidents(case)
    assert "CompleteUserTask by kim" in message
    assert "SequenceGap" in message
    names = [type(event).__name__ for event in case.events[before:]]
    assert "UserTaskCompleted" not in names
    assert names[-1] == "InstanceSuspended"


def test_under_an_idempotency_key_likewise(play: Play) -> None:
    case = play.begin(_FORK)
    sql("UPDATE bpm_processinstance SET last_sequence = last_sequence - 2")
    key = Idempotency(principal="kim", key="k", fingerprint="f")
    with pytest.raises(InvariantViolated):
        engine.complete_task(case.tasks("a")[0].id, actor="kim", key=key)
    assert _frozen(case)


def test_in_a_batch_only_the_broken_one_is_frozen(play: Play) -> None:
    broken = play.begin(_FORK)
    sound = play.start()
    sql(
        "UPDATE bpm_processinstance SET last_sequence = last_sequence - 2 WHERE id = %s",
        in_table(broken.id),
    )
    tasks = [broken.tasks("a")[0].id, sound.tasks("a")[0].id]
    from bpm.shell.execute import execute_many

    outcomes = execute_many([Request(c.CompleteUserTask(task=task), "") for task in tasks])
    assert isinstance(outcomes[0], InvariantViolated)
    assert (_frozen(broken), _frozen(sound), sound.at()) == (True, False, ["b", "j"])


def test_the_sweep_freezes_what_it_finds_once(play: Play) -> None:
    case = play.begin(_FORK)
    other = play.start()
    _sweep()
    assert set(Verification.objects.values_list("verified_through", flat=True)) == {len(case.events) - 1}
    sql("UPDATE bpm_usertask SET name = 'x' WHERE instance_id = %s", in_table(case.id))
    case.complete("a")
    _sweep()
    assert _frozen(case)
    assert not _frozen(other)
    (message,) = _incidents(case)
    assert "RowsDiffer user_tasks" in message
    _sweep()
    assert len(_incidents(case)) == 1
    # The operator knows of it and lets it go on; it is not frozen for the same again, but for something else.
    engine.activate(case.id, release=True, actor="kim")
    case.complete("b")
    _sweep()
    assert (case.status, _incidents(case)) == ("COMPLETED", [])


def test_the_sweep_looks_only_at_what_has_changed(play: Play) -> None:
    cases = [play.begin(_FORK) for _ in range(3)]
    _sweep()
    cases[1].complete("a")
    swept = verify_some("test")
    assert swept is not None
    assert (swept.looked_at, swept.verified, swept.broken, swept.round_over) == (3, 1, 0, True)


def test_one_process_at_a_time_verifies(play: Play) -> None:
    play.begin(_FORK)
    _sweep()
    VerificationPlace.objects.update(held_by="other", held_until=database_now() + HELD)
    assert verify_some("test") is None
    VerificationPlace.objects.update(held_until=database_now())
    assert verify_some("test") is not None


def test_a_round_goes_on_behind_what_it_had_time_for(play: Play) -> None:
    play.deploy(_FORK)
    from bpm.shell.verifying import instances

    engine.start_many([engine.Start(process="p")] * (2 * instances.GROUP_INSTANCES))
    parts = 0
    while (swept := verify_some("test", seconds=0.0)) is not None:
        parts += 1
        if swept.round_over:
            break
    assert parts > 1
    assert Verification.objects.count() == 2 * instances.GROUP_INSTANCES
