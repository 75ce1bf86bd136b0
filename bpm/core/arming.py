"""Putting on the table what a scope waits for: boundary events, starts of event subprocesses (semantics §4, §7).

Such rows have no token: their owner is the scope. They end with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from bpm.core.ending import cancel_row
from bpm.core.graph import Activity, Node
from bpm.core.ids import Id
from bpm.core.rows import Subscription, Timer, TimerStatus

if TYPE_CHECKING:
    from bpm.core.run import Run


class Owner(NamedTuple):
    """Who waits: a token at its node, or (without token) a scope. Also the place from which variables are seen."""

    token: Id | None
    scope: Id
    node: str


def arm_boundary(run: Run, node: Activity, scope: Id) -> None:
    """Arm the boundary events of an activity for one of its scopes. Emits TimerScheduled, SubscriptionOpened."""
    for name in node.boundary:
        _arm(run, run.graph.nodes[name], scope)


def arm_handlers(run: Run, scope: Id) -> None:
    """Arm the event subprocesses of a scope that has just been opened."""
    inside = run.graph.scopes.get(run.state.scopes[scope].node)
    for handler in inside.handlers if inside is not None else ():
        for start in run.graph.scopes[handler].starts:
            _arm(run, run.graph.nodes[start], scope)


def _arm(run: Run, node: Node, scope: Id) -> None:
    run.element(node).arm(run, node, Owner(None, scope, node.id))


def rows_of_scope(run: Run, scope: Id) -> Iterator[Timer | Subscription]:
    """Yield the open rows that a scope owns itself, newest first."""
    timers = [
        row
        for row in run.state.timers.values()
        if row.scope == scope and row.token is None and row.status is TimerStatus.SCHEDULED
    ]
    subscriptions = [
        row
        for row in run.state.subscriptions.values()
        if row.scope == scope and row.token is None and row.status == "OPEN"
    ]
    rows: list[Timer | Subscription] = [*timers, *subscriptions]
    yield from sorted(rows, key=lambda row: row.id, reverse=True)


def disarm(run: Run, scope: Id, reason: str) -> None:
    """Cancel all rows that a scope owns itself. Emits TimerCancelled, SubscriptionCancelled."""
    for row in rows_of_scope(run, scope):
        cancel_row(run, row, reason)


def disarm_token(run: Run, token: Id, reason: str) -> None:
    """Cancel all timers and subscriptions of a token."""
    timers = [
        row for row in run.state.timers.values() if row.token == token and row.status is TimerStatus.SCHEDULED
    ]
    waiting = [row for row in run.state.subscriptions.values() if row.token == token and row.status == "OPEN"]
    rows: list[Timer | Subscription] = [*timers, *waiting]
    for row in sorted(rows, key=lambda row: row.id, reverse=True):
        cancel_row(run, row, reason)


def disarm_handlers(run: Run, scope: Id) -> None:
    """Cancel what starts event subprocesses of a scope in which only such are left (semantics §4)."""
    for row in rows_of_scope(run, scope):
        if run.graph.nodes[row.node].tag == "startEvent":
            cancel_row(run, row, "completing")
