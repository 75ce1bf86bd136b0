"""One thing that could happen to an instance next, chosen without looking at ids: the same on every host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, TypeVar

from bpm.core import commands as c
from bpm.core import operations as o
from bpm.core.graph import Graph
from bpm.core.state import TABLES, State
from tests.support.folding import copy_state
from tests.support.random_commands import possible_commands
from tests.support.random_operations import possible_operations

R = TypeVar("R")
Look = tuple[str, Mapping[tuple[str, str, str], int]]


def look_of(state: State) -> Look:
    """Return what two hosts must agree on: the status, and where the live tokens are."""
    live = [token for token in state.tokens.values() if not token.final]
    return state.instance.status.value, Counter((one.node, one.status.value, str(one.wait)) for one in live)


def random_move(random: Random, graph: Graph, definition: str, state: State) -> list[c.Command]:
    """Return commands: mostly what moves something, sometimes anything at all, wrong or an operator's."""
    state = _by_id(state)
    chance, number = random.random(), random.randrange(10_000)
    if chance < 0.1:
        return [random.choice(possible_commands(state, number))]
    if chance < 0.25:
        operations = possible_operations(graph, definition, state, number)
        kind = random.choice(sorted({type(one).__name__ for one in operations}))
        return [random.choice([one for one in operations if type(one).__name__ == kind])]
    moves = list(_moves(random, state))
    return (
        random.choice(moves)
        if moves
        else [c.SetVariables(scope=state.instance.id, variables={"x": number % 4})]
    )


def _by_id(state: State) -> State:
    """Return a copy whose rows stand in order of creation."""
    twin = copy_state(state)
    for name in TABLES:
        rows: dict[Any, Any] = getattr(twin, name)
        setattr(twin, name, {key: rows[key] for key in sorted(rows)})
    return twin


def _moves(random: Random, state: State) -> Iterator[list[c.Command]]:
    if state.instance.suspended_because is not None:
        yield [o.ActivateInstance()]
    values = {"x": random.randrange(4), "y": random.randrange(3)}
    for user in _of(state.user_tasks, lambda row: row.status == "OPEN"):
        yield [c.CompleteUserTask(task=user.id, variables=values)]
        yield [o.ThrowUserTaskError(task=user.id, error_code="E")]
    for task in _of(state.external_tasks, lambda row: row.status in ("READY", "LOCKED")):
        lock = c.LockExternalTasks(tasks=(task.id,), worker="w", lock_ms=60_000)
        held: dict[str, Any] = {"task": task.id, "worker": "w"}
        yield [lock, c.CompleteExternalTask(**held, variables=values)]
        yield [lock, random.choice((c.FailExternalTask(**held, retries=0), c.FailExternalTask(**held)))]
        yield [lock, c.ThrowExternalTaskError(**held, error_code=random.choice(("E", "other")))]
    for job in _of(state.jobs, lambda row: row.status == "READY"):
        yield [c.StartJob(job=job.id)]
    for timer in _of(state.timers, lambda row: row.status == "SCHEDULED"):
        yield [c.FireTimers(timers=(timer.id,), force=True)]
    for row in _of(state.subscriptions, lambda row: row.status == "OPEN"):
        message = row.kind == "message"
        yield [c.TriggerMessage(subscription=row.id) if message else c.TriggerSignal(subscriptions=(row.id,))]
    for token in _of(state.tokens, lambda row: row.status == "Failed"):
        yield [c.RetryToken(token=token.id)]


def _of(rows: Mapping[Any, R], wanted: Callable[[R], bool]) -> list[R]:
    return [row for row in rows.values() if wanted(row)]
