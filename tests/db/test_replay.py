"""Replay gives, at every event at which the tables were looked at, what the tables then held."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from bpm import engine
from bpm.core.errors import Invalid, ReplayNotFound, TooLarge
from bpm.core.ids import Id
from bpm.models import HistoryEvent, ReplaySession
from bpm.queries.replay import replay_at, replay_events
from bpm.shell import replay_sessions
from bpm.shell.database_clock import database_now
from bpm.shell.heartbeats import clean
from bpm.shell.stored_history import PAGE, fold, stored_events
from tests.semantics import (
    test_compensation_scopes,
    test_external_tasks,
    test_inclusive_join,
    test_jobs,
    test_migration,
    test_modification,
    test_parallel_join,
    test_sagas,
    test_suspension,
    test_timers,
    test_user_tasks,
    test_variables,
)
from tests.support.database_host import DatabaseHost
from tests.support.folding import contents
from tests.support.play import Play
from tests.support.proof import rich_case
from tests.support.statements import executed

pytestmark = pytest.mark.django_db(transaction=True)

_OF_EACH = 3


def _scenarios(module: Any) -> list[Callable[[Play], None]]:
    found = [
        one
        for name, one in vars(module).items()
        if name.startswith("test_") and list(inspect.signature(one).parameters) == ["play"]
    ]
    return found[:_OF_EACH]


_SCENARIOS = [
    scenario
    for module in (
        test_compensation_scopes,
        test_external_tasks,
        test_inclusive_join,
        test_jobs,
        test_migration,
        test_modification,
        test_parallel_join,
        test_sagas,
        test_suspension,
        test_timers,
        test_user_tasks,
        test_variables,
    )
    for scenario in _scenarios(module)
]


class RecordingHost(DatabaseHost):
    """Keeps what the tables of each instance held after each command."""

    def __init__(self) -> None:
        super().__init__(checked=False)
        self.kept: dict[tuple[Id, int], dict[str, Any]] = {}

    def _check(self, instance: Id) -> None:
        state = self.state(instance)
        self.kept.setdefault((instance, state.instance.sequence), contents(state))


@pytest.mark.parametrize("scenario", _SCENARIOS, ids=[one.__name__ for one in _SCENARIOS])
def test_replay_at_any_cursor_is_what_the_tables_held(scenario: Callable[[Play], None]) -> None:
    host = RecordingHost()
    scenario(Play(host))
    assert host.kept
    for (instance, sequence), held in host.kept.items():
        assert contents(fold(instance, sequence)) == held, sequence
    host.close()


def test_every_cursor_can_be_looked_at_and_nothing_changes() -> None:
    case = rich_case(Play(DatabaseHost(checked=False)))
    before = list(HistoryEvent.objects.order_by("instance_id", "sequence").values_list("hash", flat=True))
    last = len(case.events) - 1
    for cursor in range(-1, last + 1):
        shown = replay_at(case.id, cursor, tenant="")
        assert (shown.sequence, shown.last_sequence) == (cursor, last)
        assert (shown.event.sequence if shown.event else -1) == cursor
    assert shown.live_tokens == len(case.live())
    assert shown.current_nodes == tuple(sorted(set(case.at())))
    assert [row["id"] for row in shown.user_tasks] == [task.id for task in case.tasks()]
    assert shown.variables[case.id]["secret"] == "second"
    after = list(HistoryEvent.objects.order_by("instance_id", "sequence").values_list("hash", flat=True))
    assert after == before
    nothing = replay_at(case.id, -1, tenant="")
    assert (nothing.status, nothing.tokens, nothing.variables) == (None, [], {})
    for wrong in (-2, last + 1):
        with pytest.raises(Invalid):
            replay_at(case.id, wrong, tenant="")


def test_a_long_history_is_read_page_by_page() -> None:
    play = Play(DatabaseHost(checked=False))
    case = play.begin("start s -> u\nuser u -> e\nend e", n=0)
    while case.state.instance.sequence < 2 * PAGE:
        engine.set_variables(case.id, variables={f"v{n}": n for n in range(500)})
    last = case.state.instance.sequence
    with executed() as found:
        number = sum(1 for _ in stored_events(case.id))
    assert (number, len(found.statements)) == (last + 1, last // PAGE + 1)
    first = replay_events(case.id, limit=10, tenant="")
    assert [row.sequence for row in first] == list(range(10))
    assert [row.sequence for row in replay_events(case.id, after=last - 1, tenant="")] == [last]


# sessions


def _session(case: Any, principal: str = "kim") -> Any:
    last = case.state.instance.sequence
    return engine.open_replay(case.id, -1, last, tenant="", principal=principal)


def test_a_session_steps_and_seeks_within_the_history() -> None:
    case = Play(DatabaseHost(checked=False)).begin("start s -> u\nuser u -> e\nend e")
    last = case.state.instance.sequence
    session = _session(case)["session_id"]

    def step(events: int) -> int:
        return int(engine.step_replay(session, events, tenant="", principal="kim")["cursor"])

    assert [step(1), step(1), step(-1), step(1_000), step(-1_000)] == [0, 1, 0, last, -1]
    assert engine.seek_replay(session, 2, tenant="", principal="kim")["cursor"] == 2
    with pytest.raises(Invalid):
        engine.seek_replay(session, last + 1, tenant="", principal="kim")
    case.complete("u")
    assert engine.find_replay(session, tenant="", principal="kim")["last_sequence"] > last
    engine.close_replay(session, tenant="", principal="kim")
    with pytest.raises(ReplayNotFound):
        engine.find_replay(session, tenant="", principal="kim")


def test_a_session_is_its_principals_alone_and_expires() -> None:
    case = Play(DatabaseHost(checked=False)).begin("start s -> u\nuser u -> e\nend e")
    session = _session(case)["session_id"]
    for tenant, principal in (("", "lee"), ("other", "kim")):
        with pytest.raises(ReplayNotFound):
            engine.step_replay(session, tenant=tenant, principal=principal)
        with pytest.raises(ReplayNotFound):
            engine.close_replay(session, tenant=tenant, principal=principal)
    ReplaySession.objects.update(expires_at=database_now())
    with pytest.raises(ReplayNotFound):
        engine.find_replay(session, tenant="", principal="kim")
    clean()
    assert not ReplaySession.objects.exists()


def test_nobody_opens_sessions_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_sessions, "MAX_SESSIONS", 2)
    case = Play(DatabaseHost(checked=False)).begin("start s -> u\nuser u -> e\nend e")
    _session(case)
    _session(case)
    with pytest.raises(TooLarge):
        _session(case)
    _session(case, "lee")
