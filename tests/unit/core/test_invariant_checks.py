"""The checks of the hosts see what is wrong: each kind of damage is found."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from bpm.core import events as e
from bpm.core.rows import ExternalStatus, InstanceStatus, JoinStatus, ScopeStatus
from bpm.core.state import State
from bpm.core.token import TokenStatus
from tests.support.core_host import CoreHost
from tests.support.damage import Damage, changed_instance, changed_row
from tests.support.folding import Recorded, differences, fold
from tests.support.history_rules import history_violations
from tests.support.invariants import violations
from tests.support.model import parse_model
from tests.support.play import Case


def _case() -> Case:
    host = CoreHost()
    host.deploy(
        parse_model("""
            start s -> f
            par f -> a, b, x, t
            user a -> j
            user b -> j
            external x -> j
            timer t duration=PT1H -> j
            par j -> e
            end e
        """)
    )
    case = Case(host, host.start("p"))
    case.complete("a")
    case.host.fetch("w", ["x"])
    return case


def _arrivals(state: State) -> None:
    state.arrivals.clear()


def _newest(state: State) -> None:
    state.newest_joins.clear()


@pytest.mark.parametrize(
    ("damage", "rule"),
    [
        (changed_instance(live=9), "InstanceCounters: live"),
        (changed_instance(incidents=1), "InstanceCounters: incidents"),
        (changed_instance(passive=0), "InstanceCounters: passive"),
        (changed_instance(sequence=3), "SequenceGap"),
        (changed_instance(status=InstanceStatus.FAILED), "InstanceStatus"),
        (changed_instance(status=InstanceStatus.COMPLETED), "InstanceStatus"),
        (changed_row("scopes", "p", live_tokens=1), "ScopeCounters"),
        (changed_row("scopes", "p", status=ScopeStatus.COMPLETED), "OrphanToken"),
        (changed_row("joins", "j", arrived=2), "JoinIncomplete"),
        (changed_row("joins", "j", status=JoinStatus.FIRED), "JoinIncomplete"),
        (changed_row("joins", "j", generation=2), "JoinFiredTwice: generations"),
        (_arrivals, "JoinArrivals: arrivals"),
        (_newest, "JoinFiredTwice: the newest"),
        (changed_row("tokens", "b", status=TokenStatus.READY), "TokenRest"),
        (changed_row("tokens", "j", status=TokenStatus.READY), "JoinIncomplete"),
        (changed_row("user_tasks", "b", status="CANCELLED"), "TokenRest"),
        (changed_row("timers", "t", token=None), "TokenRest"),
        (changed_row("external_tasks", "x", worker=None), "ExternalTaskLeaseConflict"),
        (changed_row("external_tasks", "x", status=ExternalStatus.READY), "ExternalTaskLeaseConflict"),
        (changed_row("external_tasks", "x", retries=0), "RetriesNotMonotonic"),
    ],
)
def test_a_damaged_state_is_noticed(damage: Damage, rule: str) -> None:
    case = _case()
    history = case.host.history(case.id)
    assert violations(case.state, history) == []
    damage(case.state)
    assert any(found.startswith(rule) for found in violations(case.state, history))
    assert differences(case.state, fold(case.id, history)) != []


def _append(make: Callable[[Case], e.Event]) -> Callable[[Case, list[Recorded]], None]:
    def damage(case: Case, history: list[Recorded]) -> None:
        last = history[-1]
        history.append(Recorded(last.sequence + 1, make(case), last.at + timedelta(seconds=1)))
        case.state.instance.sequence += 1

    return damage


def _ended(case: Case) -> e.TokenTerminated:
    ended = case.of(e.TokenCompleted)[-1]
    final = next(event for event in case.of(e.TokenCompleted) if event.final)
    return e.TokenTerminated(token=final.token, node=ended.node, reason="end")


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (_ended, "TokenFinalizedTwice"),
        (
            lambda case: e.NodeExecutionStarted(token=case.token("b").id, node="b", attempt=1),
            "TokenInvalidTransition",
        ),
        (
            lambda case: e.ExternalTaskLocked(
                task=case.external("x").id,
                token=case.token("x").id,
                node="x",
                worker="v",
                lease=7,
                expires_at=case.host.clock.now,
            ),
            "ExternalTaskLeaseConflict: lease 7",
        ),
    ],
)
def test_a_history_that_cannot_be_is_noticed(make: Callable[[Case], e.Event], rule: str) -> None:
    case = _case()
    history = list(case.host.history(case.id))
    _append(make)(case, history)
    assert any(found.startswith(rule) for found in history_violations(case.state, history))


def test_a_gap_and_a_time_that_runs_backwards_are_noticed() -> None:
    case = _case()
    history = list(case.host.history(case.id))
    del history[3]
    assert any(found.startswith("SequenceGap") for found in history_violations(case.state, history))
    history = list(case.host.history(case.id))
    history[2] = history[2]._replace(at=history[2].at - timedelta(days=1))
    assert any(found.startswith("TimeBackwards") for found in history_violations(case.state, history))
