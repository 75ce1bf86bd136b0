"""What still matters of a state, and a copy of it without what has ended."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import cached_property
from typing import Any, Final

from bpm.core.exploring.abstraction import LOOP_COUNTER, Abstract
from bpm.core.graph import Activity, StandardLoop
from bpm.core.ids import Id
from bpm.core.layers import BODY, LOOP
from bpm.core.loops import COUNTS
from bpm.core.rows import (
    CompensationRecord,
    CompensationStatus,
    ExternalStatus,
    JobStatus,
    JoinState,
    JoinStatus,
    Scope,
    ScopeStatus,
    TimerStatus,
    UserStatus,
)
from bpm.core.state import State
from bpm.core.token import Token, TokenStatus
from bpm.core.values import is_hidden

_RECORDS: Final = frozenset(
    {CompensationStatus.OPEN, CompensationStatus.TRIGGERED, CompensationStatus.RUNNING}
)
_TASKS: Final = frozenset({ExternalStatus.READY, ExternalStatus.LOCKED})
_JOBS: Final = frozenset({JobStatus.READY, JobStatus.RUNNING})


class Live:
    """What lives in a state of an abstract process.

    Attributes:
        binding: forks whose groups some join looks at.
        tokens: those that are not final.
        joins: the open ones.
        scopes: the active ones, and completed ones that can still be compensated.
        records: what can still be compensated, in order of completion.
    """

    def __init__(self, process: Abstract, state: State) -> None:
        self.process = process
        self.state = state
        self.binding = process.binding
        self.tokens = [token for token in state.tokens.values() if not token.final]
        self.joins = [row for row in state.joins.values() if row.status is JoinStatus.OPEN]
        rows = [row for row in state.compensations.values() if row.status in _RECORDS]
        self.records: list[CompensationRecord] = sorted(rows, key=lambda row: row.position) if rows else rows
        kept = {scope for row in rows for scope in (row.inner, row.scope)}
        self.scopes = [
            row for row in state.scopes.values() if row.status is ScopeStatus.ACTIVE or row.id in kept
        ]

    def attached(self) -> Iterator[tuple[Id, Id, tuple[Any, ...]]]:
        """Yield owner, id and description of every open row that hangs on a token or scope."""
        state = self.state
        for user in state.user_tasks.values():
            if user.status is UserStatus.OPEN:
                yield user.token, user.id, ("user", user.node)
        for task in state.external_tasks.values():
            if task.status in _TASKS:
                yield task.token, task.id, ("external", task.node, task.status)
        for job in state.jobs.values():
            if job.status in _JOBS:
                yield job.token, job.id, ("job", job.node, job.kind, job.status)
        for row in state.subscriptions.values():
            if row.status == "OPEN":
                yield row.token or row.scope, row.id, ("wait", row.node, row.kind, row.name)
        if self._timers:
            ranks = {at: rank for rank, at in enumerate(sorted({timer.created_at for timer in self._timers}))}
            for timer in self._timers:
                what = ("timer", timer.node, timer.expression, str(ranks[timer.created_at]), timer.number)
                yield timer.token or timer.scope, timer.id, what

    @cached_property
    def _timers(self) -> list[Any]:
        return [row for row in self.state.timers.values() if row.status is TimerStatus.SCHEDULED]

    def rank(self, token: Token) -> int:
        """Return how many tokens wait on the same flow of the same join for longer."""
        waiting = self.state.arrivals.get((token.join or "", token.flow or ""), ())
        return waiting.index(token.id) if token.id in waiting else 0

    def begun(self, scope: Scope) -> int:
        """Return how much has begun in a scope, where that decides how it goes on."""
        return 0 if scope.kind == LOOP and self._endless(scope) else scope.begun

    def variables(self, scope: Id) -> tuple[tuple[str, str], ...]:
        """Return the engine's own variables of a scope."""
        return self._variables.get(scope, ())

    @cached_property
    def _variables(self) -> dict[Id, tuple[tuple[str, str], ...]]:
        found: dict[Id, list[tuple[str, str]]] = {}
        for (scope, name), row in self.state.variables.items():
            if self._counts(scope, name):
                found.setdefault(scope, []).append((name, row.value))
        return {scope: tuple(sorted(values)) for scope, values in found.items()}

    def _counts(self, scope: Id, name: str) -> bool:
        row = self.state.scopes.get(scope)
        if row is None:
            return False
        if name == LOOP_COUNTER:
            return self.process.counted or (row.kind == LOOP and not self._endless(row))
        return row.kind == BODY and (name in COUNTS or is_hidden(name))

    def _endless(self, scope: Scope) -> bool:
        node = self.process.graph.nodes[scope.node]
        loop = node.loop if isinstance(node, Activity) else None
        return isinstance(loop, StandardLoop) and loop.maximum is None and not self.process.counted

    def copy(self) -> State:
        """Return a copy with what lives only; counters begin anew where they would only count the past."""
        old = self.state
        state = State(copy(old.instance), everything=True)
        state.tokens = {
            token.id: token._replace(attempt=0) if token.attempt else token for token in self.tokens
        }
        state.scopes = {row.id: row for row in self.scopes}
        state.joins = {row.id: _first(row) for row in self.joins}
        state.newest_joins = {(row.scope, row.node, row.group): row.id for row in self.joins}
        state.arrivals = {at: held for at, held in old.arrivals.items() if held}
        state.compensations = {row.id: row for row in self.records}
        state.variables = {
            key: row
            for key, row in old.variables.items()
            if self._counts(*key) or (key[1] == LOOP_COUNTER and key[0] in state.scopes)
        }
        state.user_tasks = {row.id: row for row in old.user_tasks.values() if row.status is UserStatus.OPEN}
        failed = {token.id for token in self.tokens if token.status is TokenStatus.FAILED}
        for name in ("external_tasks", "jobs"):
            kept = {
                row.id: row
                for row in getattr(old, name).values()
                if row.status in (_TASKS if name == "external_tasks" else _JOBS)
                or (row.status == "FAILED" and row.token in failed)
            }
            setattr(state, name, kept)
        state.subscriptions = {row.id: row for row in old.subscriptions.values() if row.status == "OPEN"}
        state.timers = {row.id: row for row in self._timers}
        state.incidents = {row.id: row for row in old.incidents.values() if row.status == "OPEN"}
        return state


def _first(row: JoinState) -> JoinState:
    return row if row.generation == 1 else row._replace(generation=1)
