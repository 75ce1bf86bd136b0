"""What a command may read besides the rows it names, by the footprint of where its tokens go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from bpm.core import between as b
from bpm.core import commands as c
from bpm.core import operations as o
from bpm.core.calls import CallActivity, names_returned
from bpm.core.footprint import footprint
from bpm.core.graph import Graph
from bpm.core.ids import NIL
from bpm.core.layers import BODY, LAYERS, LOOP
from bpm.core.loops import COUNTS, item_name
from bpm.core.phases import LEAVING
from bpm.core.rows import ExternalTask, Job, Subscription, Timer, UserTask
from bpm.core.state import State
from bpm.core.token import Token
from bpm.shell.sql import Needs

_COMPLETING = (
    c.CompleteUserTask,
    c.CompleteExternalTask,
    c.ThrowExternalTaskError,
    c.CompleteJob,
    c.ThrowJobError,
    c.ContinueReceiveTask,
    o.ThrowUserTaskError,
    o.ThrowUserTaskEscalation,
    o.ResolveUserTask,
)
_ENDING_TASKS = (
    c.CompleteUserTask,
    o.ThrowUserTaskError,
    o.ThrowUserTaskEscalation,
    c.CompleteExternalTask,
    c.ThrowExternalTaskError,
)
_ABOUT_VARIABLES = (
    c.SetVariables,
    o.RemoveVariables,
    o.SetTaskVariables,
    o.RemoveTaskVariables,
    o.SetActivityVariables,
)
_TRIGGERING = (c.TriggerMessage, c.TriggerSignal)


def add_needs(needs: Needs, graph: Graph, state: State, command: c.Command) -> None:
    """Add what one command needs, and note in the state that it will be known."""
    names: tuple[str, ...] = ()
    if isinstance(command, (*_COMPLETING, *_TRIGGERING, c.SetVariables)):
        names = tuple(command.variables)
    elif isinstance(command, b.CompleteCall | b.FinishFault):
        names = _names_returned(graph, state, command)
    if isinstance(command, _ABOUT_VARIABLES):
        _named_variables(needs, state, command)
        return
    if isinstance(command, c.LockExternalTasks):
        for task in command.tasks:
            for token in _token_of(state, state.external_tasks.get(task)):
                _variables(needs, state, token.scope, None)
        return
    if isinstance(command, c.StartJob) and _is_for_handler(state, command):
        for token in _token_of(state, state.jobs.get(command.job)):
            _variables(needs, state, token.scope, None)
        return
    for row in _triggered_rows(state, command):
        _variables(needs, state, row.scope, names)
    for point in _starting_points(state, command):
        found = footprint(graph, point.node, leaving=point.leaving)
        _variables(needs, state, point.scope, None if found.names is None else (*names, *found.names))
        _loop_variables(needs, state, point.scope)
        for join, flows in found.joins.items():
            _join(needs, graph, state, point, join, sorted(flows))


def _named_variables(needs: Needs, state: State, command: Any) -> None:
    names = getattr(command, "names", ()) or tuple(command.variables)
    if isinstance(command, c.SetVariables | o.RemoveVariables):
        _variables(needs, state, command.scope, names)
        return
    token = getattr(command, "token", "")
    if isinstance(command, c.TaskCommand) and command.task in state.user_tasks:
        token = state.user_tasks[command.task].token
    if token in state.tokens:
        _variables(needs, state, state.tokens[token].scope, names)


def _triggered_rows(state: State, command: c.Command) -> list[Subscription]:
    named: tuple[str, ...] = ()
    if isinstance(command, c.TriggerMessage):
        named = (command.subscription,)
    elif isinstance(command, c.TriggerSignal):
        named = command.subscriptions
    return [state.subscriptions[name] for name in named if name in state.subscriptions]


def _names_returned(graph: Graph, state: State, command: b.CompleteCall | b.FinishFault) -> tuple[str, ...]:
    token = state.tokens.get(command.token)
    node = graph.nodes[token.node] if token is not None else None
    return tuple(names_returned(node, command.variables)) if isinstance(node, CallActivity) else ()


def _is_for_handler(state: State, command: c.StartJob) -> bool:
    job = state.jobs.get(command.job)
    return job is not None and job.kind == "handler"


class _Point(NamedTuple):
    """Where a command sets something going, and whether it leaves the node rather than entering it."""

    node: str
    scope: str
    groups: Mapping[str, str]
    leaving: bool


def _starting_points(state: State, command: c.Command) -> Iterator[_Point]:
    if isinstance(command, _ENDING_TASKS):
        task = command.task
        yield from _leaving(state, state.user_tasks.get(task) or state.external_tasks.get(task))
    elif isinstance(command, c.CompleteJob | c.ThrowJobError):
        yield from _leaving(state, state.jobs.get(command.job))
    elif isinstance(command, c.FireTimers | o.FireTimer):
        for timer in command.timers if isinstance(command, c.FireTimers) else (command.timer,):
            yield from _triggered(state, state.timers.get(timer))
    elif isinstance(command, _TRIGGERING):
        for row in _triggered_rows(state, command):
            yield from _triggered(state, row)
    elif isinstance(command, c.ContinueReceiveTask | b.CallCommand | b.AnswerFault):
        token = state.tokens.get(command.token)
        if token is not None:
            yield _Point(token.node, token.scope, token.groups, True)
    elif isinstance(command, c.StartJob | o.RunJob):
        job = state.jobs.get(command.job)
        if job is not None and job.token in state.tokens:
            yield _ready(state.tokens[job.token])
    elif isinstance(command, c.RetryToken) and command.token in state.tokens:
        yield _ready(state.tokens[command.token])


def _ready(token: Token) -> _Point:
    return _Point(token.node, token.scope, token.groups, token.phase in LEAVING)


def _leaving(state: State, row: ExternalTask | UserTask | Job | None) -> Iterator[_Point]:
    token = state.tokens.get(row.token) if row is not None else None
    if token is not None:
        yield _Point(token.node, token.scope, token.groups, True)


def _triggered(state: State, row: Timer | Subscription | None) -> Iterator[_Point]:
    """Yield where a token goes on: behind what it waited for, or at the event that a scope waited for."""
    if row is None:
        return
    if row.token is not None:
        token = state.tokens.get(row.token)
        if token is not None:
            yield _Point(row.node, token.scope, token.groups, True)
    elif row.scope in state.scopes:
        scope = state.scopes[row.scope]
        outer = state.tokens.get(scope.outer_token or "")
        yield _Point(row.node, outer.scope if outer else scope.id, outer.groups if outer else {}, False)


def _token_of(state: State, row: ExternalTask | Job | None) -> Iterator[Token]:
    token = state.tokens.get(row.token) if row is not None else None
    if token is not None:
        yield token


def _loop_variables(needs: Needs, state: State, scope: str) -> None:
    """Add what a loop's body reads when one of its instances is done: its counts and the next item."""
    for row in state.chain(scope):
        if row.kind in (BODY, LOOP):
            for name in (*COUNTS, "loopCounter", item_name(row.begun)):
                needs.variables.append([state.instance.id, row.id, name])
                state.known.add(("variable", row.id, name))


def _variables(needs: Needs, state: State, scope: str, names: Iterable[str] | None) -> None:
    wanted = None if names is None else sorted(set(names))
    if wanted == []:
        return
    instance = state.instance.id
    for row in state.chain(scope):
        if wanted is None:
            needs.variables.append([instance, row.id, None])
            state.known.add(("variables", row.id))
            continue
        for name in wanted:
            needs.variables.append([instance, row.id, name])
            state.known.add(("variable", row.id, name))


def _join(needs: Needs, graph: Graph, state: State, point: _Point, join: str, flows: list[str]) -> None:
    """Add a join, in the scope around the point to which it belongs; an inner one is made by this command."""
    groups: Mapping[str, str] = point.groups
    for row in state.chain(point.scope):
        if row.node == graph.nodes[join].scope and row.kind not in LAYERS:
            fork = graph.binding_fork.get(join)
            group = groups.get(fork, NIL) if fork is not None else NIL
            needs.joins.append([state.instance.id, row.id, join, group, len(flows), flows])
            state.known.add(("join", row.id, join, group))
            return
        outer = state.tokens.get(row.outer_token or "")
        groups = outer.groups if outer is not None else {}


def note_arrivals(state: State, joins: list[list[object]]) -> None:
    """Note which tokens waiting at the joins that were read are completely here."""
    for _, scope, node, group, count, flows in joins:
        newest = state.newest_joins.get((str(scope), str(node), str(group)))
        if newest is None:
            continue
        join = state.joins[newest]
        if isinstance(count, int) and join.arrived + count >= join.expected:
            state.known.add(("arrivals", join.id))
        elif isinstance(flows, list):
            state.known.update(("arrivals", join.id, flow) for flow in flows)
