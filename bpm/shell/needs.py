"""What a command may read besides the rows it names, by the footprint of where its tokens go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bpm.core import commands as c
from bpm.core.footprint import footprint
from bpm.core.graph import Graph
from bpm.core.ids import NIL
from bpm.core.phases import AFTER
from bpm.core.state import State
from bpm.core.token import Token
from bpm.shell.sql import Needs

_COMPLETING = (
    c.CompleteUserTask,
    c.CompleteExternalTask,
    c.ThrowExternalTaskError,
    c.CompleteJob,
    c.ThrowJobError,
)


def add_needs(needs: Needs, graph: Graph, state: State, command: c.Command) -> None:
    """Add what one command needs, and note in the state that it will be known."""
    names: tuple[str, ...] = ()
    if isinstance(command, (*_COMPLETING, c.SetVariables)):
        names = tuple(command.variables)
    if isinstance(command, c.SetVariables):
        _variables(needs, state, command.scope, names)
        return
    if isinstance(command, c.LockExternalTasks):
        for task in command.tasks:
            for token, _ in _token_of(state, state.external_tasks.get(task)):
                _variables(needs, state, token.scope, None)
        return
    if isinstance(command, c.StartJob) and _is_for_handler(state, command):
        for token, _ in _token_of(state, state.jobs.get(command.job)):
            _variables(needs, state, token.scope, None)
        return
    for token, leaving in _starting_points(state, command):
        found = footprint(graph, token.node, leaving=leaving)
        _variables(needs, state, token.scope, None if found.names is None else (*names, *found.names))
        for join, flows in found.joins.items():
            _join(needs, graph, state, token, join, sorted(flows))


def _is_for_handler(state: State, command: c.StartJob) -> bool:
    job = state.jobs.get(command.job)
    return job is not None and job.kind == "handler"


def _starting_points(state: State, command: c.Command) -> Iterator[tuple[Token, bool]]:
    """Yield the tokens that the command moves, and whether each leaves its node rather than entering it."""
    if isinstance(command, c.CompleteUserTask):
        yield from _token_of(state, state.user_tasks.get(command.task))
    elif isinstance(command, c.CompleteExternalTask | c.ThrowExternalTaskError):
        yield from _token_of(state, state.external_tasks.get(command.task))
    elif isinstance(command, c.CompleteJob | c.ThrowJobError):
        yield from _token_of(state, state.jobs.get(command.job))
    elif isinstance(command, c.FireTimers):
        for timer in command.timers:
            yield from _token_of(state, state.timers.get(timer))
    elif isinstance(command, c.StartJob):
        job = state.jobs.get(command.job)
        if job is not None and job.token in state.tokens:
            token = state.tokens[job.token]
            yield token, token.phase == AFTER
    elif isinstance(command, c.RetryToken) and command.token in state.tokens:
        token = state.tokens[command.token]
        yield token, token.phase == AFTER


def _token_of(state: State, row: object) -> Iterator[tuple[Token, bool]]:
    token = state.tokens.get(getattr(row, "token", None) or "")
    if token is not None:
        yield token, True


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


def _join(needs: Needs, graph: Graph, state: State, token: Token, join: str, flows: list[str]) -> None:
    fork = graph.binding_fork.get(join)
    group = token.groups.get(fork, NIL) if fork is not None else NIL
    needs.joins.append([state.instance.id, token.scope, join, group, len(flows), flows])
    state.known.add(("join", token.scope, join, group))


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
