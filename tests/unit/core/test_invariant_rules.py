"""Each thing that a rule of the verifier says is said of a state or history that was damaged in just that way."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.invariants import violations
from bpm.core.invariants.histories import HistoryRules
from bpm.core.invariants.registry import RULES
from bpm.core.rows import CompensationStatus, InstanceStatus, TimerStatus
from bpm.core.state import State
from bpm.core.token import Wait
from tests.support.clock import START
from tests.support.core_host import CoreHost
from tests.support.damage import Damage, changed_instance, changed_row
from tests.support.folding import Recorded
from tests.support.pages import ROOT
from tests.support.play import Case, Play

MODEL = """
    start s -> f
    par f -> a, b, x, t, q, z
    user a -> j
    user b -> j
    external x -> j
    catch t timer=PT1H -> j
    sub q -> j
      start qs -> book
      user book undo=cancel -> hold
      user cancel
      user hold -> qe
      end qe
    user z undo=uz -> th
    user uz
    throw th compensate=z -> j
    par j -> e
    end e
"""


def _case() -> Case:
    case = Play(CoreHost()).grow(MODEL)
    for node in ("a", "book", "z"):
        case.complete(node)
    return case


def _nobody_lives(state: State) -> None:
    state.tokens = {key: token._replace(final=True) for key, token in state.tokens.items()}


def _no_joins(state: State) -> None:
    state.joins.clear()


def _two_joins(state: State) -> None:
    (join,) = state.joins.values()
    state.joins["other"] = join._replace(id="other", generation=2)


STATES: list[tuple[Damage, str, str]] = [
    (changed_instance(live=9), "InstanceCounters", "live is 9"),
    (changed_instance(failed=1), "InstanceCounters", "failed is 1"),
    (changed_instance(passive=0), "InstanceCounters", "passive is 0"),
    (changed_instance(incidents=1), "InstanceCounters", "incidents is 1"),
    (changed_instance(conditions=1), "InstanceCounters", "conditions is 1"),
    (changed_row("scopes", "q", live_tokens=7), "ScopeCounters", "scope q says (7"),
    (changed_row("scopes", "p", live_scopes=7), "ScopeCounters", "scope p says"),
    (changed_row("scopes", "p", open_joins={}), "ScopeCounters", "scope p says"),
    (changed_row("tokens", "hold", scope="gone"), "OrphanToken", "token at hold lives in an ended scope"),
    (changed_row("tokens", "hold", final=True), "StrandedScope", "scope q is active and empty"),
    (changed_instance(status=InstanceStatus.COMPLETED), "InstanceStatus", "live tokens"),
    (changed_instance(status=InstanceStatus.COMPLETED), "InstanceStatus", "without a time of its end"),
    (
        changed_instance(status=InstanceStatus.SUSPENDED),
        "InstanceStatus",
        "token at b is Waiting in a suspended",
    ),
    (changed_instance(status=InstanceStatus.FAILED), "InstanceStatus", "stuck is False"),
    (_nobody_lives, "InstanceStatus", "RUNNING without a live token"),
    (changed_row("tokens", "j", wait=Wait.USER), "JoinIncomplete", "belongs to a join but is"),
    (_no_joins, "JoinIncomplete", "belongs to a join that is not there"),
    (changed_row("joins", "j", arrived=3), "JoinIncomplete", "says 3 arrived, counted 1"),
    (changed_row("joins", "j", expected=1), "JoinIncomplete", "is full but has not fired"),
    (changed_row("joins", "j", status="FIRED"), "JoinIncomplete", "join j is FIRED but holds tokens"),
    (_two_joins, "JoinIncomplete", "two open states"),
    (_two_joins, "JoinIncomplete", "join j is open without a token"),
    (_two_joins, "JoinFiredTwice", "the newest state of"),
    (changed_row("joins", "j", generation=2), "JoinFiredTwice", "generations of"),
    (changed_row("tokens", "j", flow="other"), "JoinArrivals", "arrivals say"),
    (changed_row("scopes", "q", outer_token=None), "OuterTokens", "wait for inner scopes"),
    (changed_row("timers", "t", scope="gone"), "OuterTokens", "t waits in a scope that has ended"),
    (changed_row("tokens", "b", wait=Wait.NONE), "TokenRest", "token at b rests Waiting"),
    (changed_row("timers", "t", status=TimerStatus.CANCELLED), "TokenRest", "t waits for timer with {}"),
    (changed_row("user_tasks", "b", status="CANCELLED"), "TokenRest", "token at b (Waiting user) has {}"),
    (changed_row("user_tasks", "b", token="nobody"), "TokenRest", "of token nobody, which does not live"),
    (changed_row("external_tasks", "x", worker="w"), "ExternalTaskLeaseConflict", "with worker w until None"),
    (changed_row("external_tasks", "x", retries=0), "RetriesNotMonotonic", "with 0 retries"),
    (changed_row("external_tasks", "x", retries=-1), "RetriesNotMonotonic", "with -1 retries"),
    (changed_row("scopes", "q", compensable=2), "CompensationRecords", "says 2 compensable, counted 1"),
    (changed_row("compensations", "book", scope="gone"), "CompensationRecords", "nothing can reach it"),
    (
        changed_row("compensations", "z", target="gone"),
        "CompensationRecords",
        "in a scope that is not active",
    ),
    (changed_row("compensations", "z", opened=None), "CompensationRecords", "compensated without a scope"),
    (changed_row("compensations", "z", opened=None), "CompensationRecords", "belongs to no record"),
    (
        changed_row("compensations", "z", status=CompensationStatus.TRIGGERED),
        "CompensationRecords",
        "nothing it could wait for",
    ),
    (changed_row("compensations", "z", waiter=None), "CompensationRecords", "compensation that nobody does"),
    (changed_row("compensations", "book", closed_at=START), "CompensationRecords", "is OPEN, closed at"),
]


@pytest.mark.parametrize(("damage", "rule", "text"), STATES, ids=[f"{row[1]}-{row[2]}" for row in STATES])
def test_a_damaged_state_is_told(damage: Damage, rule: str, text: str) -> None:
    case = _case()
    assert violations(case.state) == []
    damage(case.state)
    told = [found.text for found in violations(case.state) if found.rule == rule]
    assert any(text in one for one in told), told


# histories

LINE = """
    start s -> f
    par f -> a, b
    user a -> j
    catch b timer=PT1S -> j
    par j -> x
    external x -> e
    end e
"""


def _history() -> list[Recorded]:
    play = Play(CoreHost())
    case = play.grow(LINE)
    case.complete("a")
    play.pass_time("PT2S")
    for retries in (2, 1):
        (leased,) = play.fetch("w", "x")
        failed = c.FailExternalTask(
            task=leased.task.id, worker="w", error="no", retries=retries, retry_after_ms=0
        )
        case.do(failed)
    play.fetch("w", "x")
    return list(case.host.history(case.id))


Events = list[e.Event]


def _again(kind: type[e.Event], **changes: Any) -> Callable[[Events], Events]:
    """Append the newest event of a kind once more."""

    def damage(events: Events) -> Events:
        newest = [event for event in events if type(event) is kind][-1]
        return [*events, replace(newest, **changes)]

    return damage


def _changed(kind: type[e.Event], **changes: Any) -> Callable[[Events], Events]:
    def damage(events: Events) -> Events:
        (last,) = [number for number, event in enumerate(events) if type(event) is kind][-1:]
        return [*events[:last], replace(events[last], **changes), *events[last + 1 :]]

    return damage


def _without(kind: type[e.Event]) -> Callable[[Events], Events]:
    return lambda events: [event for event in events if type(event) is not kind]


def _consumed_again(events: Events) -> Events:
    """Append what consumed a token once more."""
    return [*events, next(event for event in events if isinstance(event, e.TokenCompleted) and event.final)]


def _retried(events: Events) -> Events:
    """Let a token that waits go on as only a failed one does."""
    waits = [event for event in events if isinstance(event, e.TokenBlocked)][-1]
    return [*events, e.TokenRetried(token=waits.token, node=waits.node)]


HISTORIES: list[tuple[Callable[[Events], Events], str, str]] = [
    (_again(e.TimerFired), "TimerFiredTwice", "fires or closes again"),
    (_again(e.JoinFired), "JoinFiredTwice", "fires or closes again"),
    (_without(e.JoinArrived), "JoinIncomplete", "fires with 0 of 2 flows"),
    (_again(e.ExternalTaskLocked, lease=9), "ExternalTaskLeaseConflict", "lease 9 of x follows 3"),
    (_changed(e.ExternalTaskFailed, retries=7), "RetriesNotMonotonic", "x from 2 to 7"),
    (_consumed_again, "TokenFinalizedTwice", "of a final token"),
    (_again(e.TokenBlocked), "TokenInvalidTransition", "Waiting to Waiting"),
    (_retried, "TokenInvalidTransition", "Waiting to Ready by TokenRetried"),
    (_again(e.TokenArrived, token="nobody"), "TokenInvalidTransition", "that was not created"),
    (_again(e.JoinOpened), "IdOrder", "was made after"),
]


def _told(events: Events, *, step: int = 1, pace: timedelta = timedelta(seconds=1)) -> list[tuple[str, str]]:
    rules = HistoryRules()
    return [
        (broken.rule, broken.text)
        for number, event in enumerate(events)
        for broken in rules.check(number * step, event, START + number * pace)
    ]


@pytest.mark.parametrize(
    ("damage", "rule", "text"), HISTORIES, ids=[f"{row[1]}-{row[2]}" for row in HISTORIES]
)
def test_a_damaged_history_is_told(damage: Callable[[Events], Events], rule: str, text: str) -> None:
    events = [recorded.event for recorded in _history()]
    assert _told(events) == []
    told = _told(damage(events))
    assert any(name == rule and text in said for name, said in told), told


def test_numbers_and_times_that_do_not_ascend_are_told() -> None:
    events = [recorded.event for recorded in _history()]
    assert {rule for rule, _ in _told(events, step=2)} == {"SequenceGap"}
    assert {rule for rule, _ in _told(events, step=0)} == {"SequenceGap"}
    assert {rule for rule, _ in _told(events, pace=-timedelta(seconds=1))} == {"TimeBackwards"}


def test_every_rule_is_broken_here() -> None:
    tree = ast.parse((ROOT / "bpm/core/invariants/histories.py").read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = {
        call.args[0].value
        for call in calls
        if ast.unparse(call.func) in ("Broken", "self._once") and isinstance(call.args[0], ast.Constant)
    }
    told = {rule for _, rule, _ in HISTORIES} | {"SequenceGap", "TimeBackwards"}
    assert told == named
    assert {rule for _, rule, _ in STATES} == {name for name, _ in RULES}
