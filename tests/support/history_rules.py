"""What must hold of a history as such, told from the events alone (semantics §2, §10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import pairwise

from bpm.core import events as e
from bpm.core.state import State
from bpm.core.token import TRANSITIONS, TokenStatus
from bpm.core.values import from_text, to_text
from tests.support.folding import Recorded

_S = TokenStatus
_BECOMES: dict[type[e.Event], TokenStatus] = {
    e.TokenArrived: _S.READY,
    e.NodeExecutionStarted: _S.EXECUTING,
    e.TokenCompleted: _S.COMPLETED,
    e.TokenBlocked: _S.WAITING,
    e.TokenResumed: _S.READY,
    e.TokenRecovered: _S.READY,
    e.TokenFailed: _S.FAILED,
    e.TokenRetried: _S.READY,
    e.TokenSuspended: _S.SUSPENDED,
    e.TokenTerminated: _S.TERMINATED,
}
_MAKES = {
    e.TokenCreated: "token",
    e.JoinOpened: "join",
    e.UserTaskCreated: "task",
    e.ExternalTaskCreated: "task",
    e.TimerScheduled: "timer",
    e.JobCreated: "job",
    e.IncidentOpened: "incident",
}


def history_violations(state: State, history: Sequence[Recorded]) -> Iterator[str]:
    """Yield what is broken in a history, or between it and the state."""
    if [recorded.sequence for recorded in history] != list(range(len(history))):
        yield "SequenceGap: the numbers are not 0, 1, 2 …"
    if state.instance.sequence != len(history) - 1:
        yield f"SequenceGap: the instance is at {state.instance.sequence}, the history at {len(history) - 1}"
    if any(later.at < earlier.at for earlier, later in pairwise(history)):
        yield "time runs backwards"
    events = [recorded.event for recorded in history]
    yield from _token_lives(events)
    yield from _ids_ascend(events)
    yield from _once(events)
    yield from _leases_and_retries(events)
    yield from _payloads_are_json(events)


def _token_lives(events: Sequence[e.Event]) -> Iterator[str]:
    status: dict[str, TokenStatus] = {}
    remembered: dict[str, TokenStatus] = {}
    final: set[str] = set()
    for event in events:
        if isinstance(event, e.TokenCreated):
            status[event.token] = _S.CREATED
            continue
        to = _BECOMES.get(type(event))
        if isinstance(event, e.TokenActivated):
            to = remembered[event.token]
        if to is None or not isinstance(event, e.TokenEvent):
            continue
        token = event.token
        if isinstance(event, e.TokenSuspended):
            remembered[token] = status[token]
        if token in final:
            yield f"TokenFinalizedTwice: {type(event).__name__} of a final token at {event.node}"
        elif to not in TRANSITIONS[status[token]]:
            yield f"TokenInvalidTransition: {status[token]} to {to} at {event.node}"
        status[token] = to
        if event.ends_token:
            final.add(token)


def _ids_ascend(events: Sequence[e.Event]) -> Iterator[str]:
    made = [str(getattr(event, _MAKES[type(event)])) for event in events if type(event) in _MAKES]
    if made != sorted(set(made)):
        yield "ids do not ascend in the order of creation"


def _once(events: Sequence[e.Event]) -> Iterator[str]:
    seen: set[tuple[str, str]] = set()
    for event in events:
        if isinstance(event, e.TimerFired):
            key = ("TimerFiredTwice", event.timer)
        elif isinstance(event, e.JoinFired | e.JoinClosed):
            key = ("JoinFiredTwice", event.join)
        else:
            continue
        if key in seen:
            yield f"{key[0]}: {key[1]}"
        seen.add(key)


def _leases_and_retries(events: Sequence[e.Event]) -> Iterator[str]:
    lease: dict[str, int] = {}
    retries: dict[str, int] = {}
    failed: set[str] = set()
    for event in events:
        if isinstance(event, e.ExternalTaskLocked):
            if event.lease != lease.get(event.task, 0) + 1:
                yield f"lease {event.lease} of {event.node} follows {lease.get(event.task, 0)}"
            lease[event.task] = event.lease
        elif isinstance(event, e.ExternalTaskFailed):
            if event.task in failed and event.retries > retries[event.task]:
                yield f"RetriesNotMonotonic: {event.node} from {retries[event.task]} to {event.retries}"
            failed.add(event.task)
            retries[event.task] = event.retries
        elif isinstance(event, e.ExternalTaskCreated | e.ExternalTaskRetriesSet | e.ExternalTaskRetried):
            retries[event.task] = event.retries


def _payloads_are_json(events: Sequence[e.Event]) -> Iterator[str]:
    for event in events:
        for field in fields(event):
            value = getattr(event, field.name)
            text = to_text(value)
            if to_text(from_text(text)) != text:
                yield f"{type(event).__name__}.{field.name} does not survive as JSON: {value!r}"
