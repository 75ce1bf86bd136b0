"""Every operation that could be tried on an instance, the wrong ones too."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TypeVar

from bpm.core import instructions as i
from bpm.core import operations as o
from bpm.core.commands import Command
from bpm.core.graph import Activity, Graph
from bpm.core.rows import ScopeStatus
from bpm.core.state import State

T = TypeVar("T")
SOON = datetime(2026, 1, 1, tzinfo=UTC)


def possible_operations(graph: Graph, definition: str, state: State, number: int) -> list[Command]:
    """Return operations about everything in an instance, ended or not; `number` varies their details."""
    return [
        *_whole(graph, definition, state, number),
        *_modifications(graph, state, number),
        *_tasks(state, number),
        *_due(state, number),
    ]


def _whole(graph: Graph, definition: str, state: State, number: int) -> Iterator[Command]:
    yield o.ActivateInstance() if number % 3 else o.SuspendInstance()
    yield o.RemoveVariables(scope=state.instance.id, names=(("x",), ("missing", "y"))[number % 2])
    yield o.MigrateInstance(
        source=definition,
        definition=definition,
        target=graph,
        mapped={key: key for key in graph.nodes},
        update_events=number % 2 == 0,
    )


def _modifications(graph: Graph, state: State, number: int) -> Iterator[Command]:
    starts, ends = list(_starts(graph, state, number)), list(_cancels(state, number))
    for spread in range(3):
        start = _one_of(starts, number // 3 + spread * 7)
        end = _one_of(ends, number // 5 + spread)
        chosen = [(start,), (end,), (start, end), (end, start)][(number + spread) % 4]
        yield o.ModifyInstance(instructions=tuple(one for one in chosen if one is not None))


def _one_of(these: list[T], number: int) -> T | None:
    return these[number % len(these)] if these else None


def _starts(graph: Graph, state: State, number: int) -> Iterator[i.Instruction]:
    scopes = [scope.id for scope in state.scopes.values() if scope.status == ScopeStatus.ACTIVE]
    ancestor = _one_of(scopes, number) if number % 6 == 0 else None
    given = {"x": number % 4} if number % 4 == 0 else {}
    for key, node in graph.nodes.items():
        yield i.StartBefore(node=key, ancestor=ancestor, variables=given)
        yield i.StartAfter(node=key, ancestor=ancestor, local_variables=given)
        if isinstance(node, Activity) and node.loop is not None:
            yield i.StartBefore(node=key + i.BODY_MARK, ancestor=ancestor)
    for flow in graph.flows:
        yield i.StartAtFlow(flow=flow, ancestor=ancestor)


def _cancels(state: State, number: int) -> Iterator[i.Instruction]:
    for token in state.tokens.values():
        if not token.final:
            yield i.CancelToken(token=token.id)
            yield i.CancelAll(node=token.node + ("", i.BODY_MARK)[number % 2])
    for scope in state.scopes.values():
        yield i.CancelScope(scope=scope.id)


def _tasks(state: State, number: int) -> Iterator[Command]:
    for task in state.user_tasks.values():
        yield o.SetTaskVariables(task=task.id, variables={"x": number % 4}, local=number % 2 == 0)
        yield o.RemoveTaskVariables(task=task.id, names=("x",))
        yield o.ThrowUserTaskError(task=task.id, error_code="E")
        yield o.ThrowUserTaskEscalation(task=task.id, escalation_code="E")
        yield o.DelegateUserTask(task=task.id, assignee="lee")
        yield o.ResolveUserTask(task=task.id, variables={"y": number % 3})
        yield o.CommentUserTask(task=task.id, message="why", actor="lee")
        yield o.UpdateUserTask(task=task.id, changes={"priority": number})


def _due(state: State, number: int) -> Iterator[Command]:
    for job in state.jobs.values():
        yield o.SetJobRetries(job=job.id, retries=number % 3)
        yield o.ChangeJob(job=job.id, available_at=SOON)
        yield o.RunJob(job=job.id)
        if number % 3 == 0:
            yield o.DeleteJob(job=job.id)
    for timer in state.timers.values():
        yield o.ChangeTimer(timer=timer.id, due_at=SOON)
        yield o.FireTimer(timer=timer.id)
        if number % 3 == 0:
            yield o.DeleteTimer(timer=timer.id)
