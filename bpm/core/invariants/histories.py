"""What must hold of a history as such, told from its events alone, one after the other (semantics §2, §5, §10)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, Final, NamedTuple

from bpm.core import events as e
from bpm.core.token import TRANSITIONS, TokenStatus

_S = TokenStatus
_BECOMES: Final[dict[type[e.Event], TokenStatus]] = {
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
_MOVES: Final = frozenset(_S) - {_S.COMPLETED, _S.TERMINATED}
_LEAVES: Final[dict[type[e.Event], frozenset[TokenStatus]]] = {
    e.TokenArrived: frozenset({_S.CREATED, _S.COMPLETED}),
    e.NodeExecutionStarted: frozenset({_S.READY}),
    e.TokenCompleted: frozenset({_S.READY, _S.EXECUTING, _S.WAITING}),
    e.TokenBlocked: frozenset({_S.READY, _S.EXECUTING}),
    e.TokenResumed: frozenset({_S.WAITING}),
    e.TokenRecovered: frozenset({_S.EXECUTING}),
    e.TokenFailed: frozenset({_S.READY, _S.EXECUTING, _S.WAITING}),
    e.TokenRetried: frozenset({_S.FAILED}),
    e.TokenSuspended: frozenset({_S.READY, _S.WAITING, _S.FAILED}),
    e.TokenActivated: frozenset({_S.SUSPENDED}),
    e.TokenTerminated: _MOVES,
}
"""Event to the statuses from which it leads (semantics §2): several lead to Ready, each from a place of its own."""
_MAKES: Final = {
    e.TokenCreated: "token",
    e.JoinOpened: "join",
    e.UserTaskCreated: "task",
    e.ExternalTaskCreated: "task",
    e.TimerScheduled: "timer",
    e.JobCreated: "job",
    e.IncidentOpened: "incident",
}
_CHECKED: Final = frozenset({*_BECOMES, e.TokenCreated, e.TokenActivated})


class Broken(NamedTuple):
    """One thing that does not hold of a history.

    Attributes:
        rule: the invariant's name (semantics §10), or `TimeBackwards`, `IdOrder`.
        text: what was found, with the node at which.
        sequence: the event at which it shows.
    """

    rule: str
    text: str
    sequence: int = -1


_Found = Iterator[Broken]


class HistoryRules:
    """The rules at work on one history; of what has ended it keeps the id only."""

    def __init__(self) -> None:
        self._sequence = -1
        self._at: datetime | None = None
        self._newest = ""
        self._status: dict[str, TokenStatus] = {}
        self._remembered: dict[str, TokenStatus] = {}
        self._final: set[str] = set()
        self._fired: set[str] = set()
        self._joins: dict[str, list[Any]] = {}
        self._merged: set[str] = set()
        self._leases: dict[str, int] = {}
        self._retries: dict[str, int] = {}
        self._failed: set[str] = set()
        self._checks: dict[type[e.Event], Callable[[Any], _Found]] = {
            e.TimerFired: self._timer_fired,
            e.JoinOpened: self._join_opened,
            e.JoinArrived: self._join_arrived,
            e.JoinRecounted: self._join_recounted,
            e.JoinMigrated: self._join_migrated,
            e.JoinGroupsMerged: self._joins_merged,
            e.JoinFired: self._join_closed,
            e.JoinClosed: self._join_closed,
            e.ExternalTaskLocked: self._locked,
            e.ExternalTaskFailed: self._task_failed,
            e.ExternalTaskCreated: self._retries_given,
            e.ExternalTaskRetriesSet: self._retries_given,
            e.ExternalTaskRetried: self._retries_given,
            e.ExternalTaskCompleted: self._task_over,
            e.ExternalTaskCancelled: self._task_over,
        }

    def check(self, sequence: int, event: e.Event, at: datetime) -> list[Broken]:
        """Return what the next event breaks."""
        found: list[Broken] = []
        if sequence != self._sequence + 1:
            found.append(Broken("SequenceGap", f"event {sequence} follows {self._sequence}"))
        if self._at is not None and at < self._at:
            found.append(Broken("TimeBackwards", f"event {sequence} is older than the one before"))
        self._sequence, self._at = sequence, at
        kind = type(event)
        if isinstance(event, e.TokenEvent) and kind in _CHECKED:
            found += self._token(event)
        name = _MAKES.get(kind)
        if name is not None:
            made = str(getattr(event, name))
            if made <= self._newest:
                found.append(Broken("IdOrder", f"id {made} was made after {self._newest}"))
            self._newest = max(made, self._newest)
        check = self._checks.get(kind)
        if check is not None:
            found += check(event)
        return [one._replace(sequence=sequence) for one in found] if found else found

    def _token(self, event: e.TokenEvent) -> _Found:
        token, kind = event.token, type(event)
        if kind is e.TokenCreated:
            self._status[token] = _S.CREATED
            return
        status = self._status.get(token)
        to = self._remembered.get(token, _S.READY) if kind is e.TokenActivated else _BECOMES[kind]
        if kind is e.TokenSuspended and status is not None:
            self._remembered[token] = status
        if token in self._final:
            yield Broken("TokenFinalizedTwice", f"{kind.__name__} of a final token at {event.node}")
        elif status is None:
            yield Broken("TokenInvalidTransition", f"{kind.__name__} of a token that was not created")
        elif to not in TRANSITIONS[status] or status not in _LEAVES[kind]:
            text = f"{status} to {to} by {kind.__name__} at {event.node}"
            yield Broken("TokenInvalidTransition", text)
        self._status[token] = to
        if event.ends_token:
            self._final.add(token)
            self._status.pop(token)
            self._remembered.pop(token, None)

    def _once(self, rule: str, key: str) -> _Found:
        if key in self._fired:
            yield Broken(rule, f"{key} fires or closes again")
        self._fired.add(key)

    def _timer_fired(self, event: e.TimerFired) -> _Found:
        return self._once("TimerFiredTwice", event.timer)

    def _join_opened(self, event: e.JoinOpened) -> _Found:
        self._joins[event.join] = [event.kind, event.arrived, event.expected]
        return iter(())

    def _join_arrived(self, event: e.JoinArrived) -> _Found:
        join = self._joins.setdefault(event.join, ["", 0, 0])
        join[1:] = [event.arrived, event.expected]
        return iter(())

    def _join_recounted(self, event: e.JoinRecounted) -> _Found:
        self._joins.setdefault(event.join, ["", 0, 0])[1] = event.arrived
        return iter(())

    def _join_migrated(self, event: e.JoinMigrated) -> _Found:
        self._joins.setdefault(event.join, ["", 0, 0])[1:] = [event.arrived, event.expected]
        return iter(())

    def _joins_merged(self, event: e.JoinGroupsMerged) -> _Found:
        self._merged.update(event.joins)
        return iter(())

    def _join_closed(self, event: e.JoinFired | e.JoinClosed) -> _Found:
        kind, arrived, expected = self._joins.pop(event.join, ("", 0, 0))
        merged = event.join in self._merged
        self._merged.discard(event.join)
        if type(event) is e.JoinFired and kind == "parallel" and not merged and arrived < expected:
            yield Broken("JoinIncomplete", f"{event.node} fires with {arrived} of {expected} flows")
        yield from self._once("JoinFiredTwice", event.join)

    def _locked(self, event: e.ExternalTaskLocked) -> _Found:
        before = self._leases.get(event.task, 0)
        if event.lease != before + 1:
            text = f"lease {event.lease} of {event.node} follows {before}"
            yield Broken("ExternalTaskLeaseConflict", text)
        self._leases[event.task] = event.lease

    def _task_failed(self, event: e.ExternalTaskFailed) -> _Found:
        before = self._retries.get(event.task, event.retries)
        if event.task in self._failed and event.retries > before:
            text = f"{event.node} from {before} to {event.retries}"
            yield Broken("RetriesNotMonotonic", text)
        self._failed.add(event.task)
        self._retries[event.task] = event.retries

    def _retries_given(
        self, event: e.ExternalTaskCreated | e.ExternalTaskRetriesSet | e.ExternalTaskRetried
    ) -> _Found:
        self._retries[event.task] = event.retries
        return iter(())

    def _task_over(self, event: e.ExternalTaskCompleted | e.ExternalTaskCancelled) -> _Found:
        for known in (self._leases, self._retries):
            known.pop(event.task, None)
        self._failed.discard(event.task)
        return iter(())
