"""Ending what goes on somewhere, from outside the model's own ways (semantics §12)."""

from __future__ import annotations

from typing import Final

from bpm.core.compensation.running import give_up
from bpm.core.ending import end_scope, end_token, open_rows
from bpm.core.errors import Conflict, Invalid, TokenNotFound
from bpm.core.graph import Node
from bpm.core.instructions import BODY_MARK, CancelAll, CancelScope, CancelToken
from bpm.core.joins import recount
from bpm.core.layers import ACTIVITY, BODY, EVENT_SUBPROCESS, LAYERS, LOOP, UNDOING, layer_of
from bpm.core.modification.instances import one_less
from bpm.core.rows import JoinStatus, Scope, ScopeStatus
from bpm.core.run import Run
from bpm.core.token import Token

REASON: Final = "modification"


def cancel_token(run: Run, instruction: CancelToken) -> None:
    """End the activity at which a token stands: of a multi-instance one, the instance.

    Raises:
        TokenNotFound.
        Conflict: the token has ended, perhaps by an instruction before this one.
    """
    token = run.state.tokens.get(instruction.token)
    if token is None:
        raise TokenNotFound(token=instruction.token)
    if token.final:
        raise Conflict("The token has ended already.", token=token.id, node=token.node)
    end_activity(run, _whole(run, token))


def _whole(run: Run, token: Token) -> Token:
    """Return the token that stands for the activity as a whole, for one that works inside it."""
    scope = run.state.scopes[token.scope]
    if scope.node == token.node and scope.kind == ACTIVITY and scope.outer_token is not None:
        return run.token(scope.outer_token)
    return token


def cancel_all(run: Run, instruction: CancelAll) -> None:
    """End all that goes on at a node; nothing may.

    Raises:
        Invalid: there is no such node.
    """
    name, mark, _ = instruction.node.partition("#")
    node = run.graph.nodes.get(name)
    if node is None or (mark and instruction.node != name + BODY_MARK):
        raise Invalid(f"There is no node {instruction.node!r}.", node=instruction.node)
    for row in _event_subprocesses(run, node):
        end_beside(run, row)
    for token in _tokens_at(run, node, whole=bool(mark)):
        if not run.token(token.id).final:
            end_activity(run, token)


def _event_subprocesses(run: Run, node: Node) -> list[Scope]:
    rows = run.state.scopes.values()
    return [
        row
        for row in rows
        if row.node == node.id and row.kind == EVENT_SUBPROCESS and row.status is ScopeStatus.ACTIVE
    ]


def _tokens_at(run: Run, node: Node, *, whole: bool) -> list[Token]:
    """Return the tokens that stand for the activity, or for an instance of it, oldest first."""
    loops = getattr(node, "loop", None) is not None
    wanted = {None} if whole or not loops else {BODY, LOOP}
    found = [
        token
        for token in run.state.tokens.values()
        if token.node == node.id and not token.final and layer_of(run, node, token) in wanted
    ]
    if loops and not whole:
        # One that has not begun (it waits for a job, or has failed before) has no body yet.
        found += [token for token in _tokens_at(run, node, whole=True) if not _inner(run, token)]
    return sorted(found, key=lambda token: token.id)


def cancel_scope(run: Run, instruction: CancelScope) -> None:
    """End a scope and the activity whose scope it is; the process's own with all that is in it.

    Raises:
        Invalid: there is no such active scope.
    """
    row = run.state.scopes.get(instruction.scope)
    if row is None or row.status is not ScopeStatus.ACTIVE:
        raise Invalid("There is no such active scope in this instance.", scope=instruction.scope)
    if row.outer_token is not None:
        outer = run.token(row.outer_token)
        end_activity(run, outer if row.kind in LAYERS else _whole(run, outer))
    elif row.parent is not None:
        end_beside(run, row)
    else:
        for token in [one for one in run.state.tokens.values() if one.scope == row.id and not one.final]:
            end_activity(run, token)
        for inner in [one for one in run.state.scopes.values() if one.parent == row.id]:
            if run.state.scopes[inner.id].status is ScopeStatus.ACTIVE:
                end_beside(run, inner)


def end_beside(run: Run, row: Scope) -> None:
    """End a scope for which no token waits; a token ends too that waited for the compensation in it alone."""
    stranded = give_up(run, row, REASON) if row.kind in UNDOING else []
    end_scope(run, row.id, REASON)
    for token in stranded:
        end_activity(run, token)
    if row.parent is not None:
        run.moved[row.parent] = None


def _inner(run: Run, token: Token) -> list[Scope]:
    rows = run.state.scopes.values()
    return [row for row in rows if row.outer_token == token.id and row.status is ScopeStatus.ACTIVE]


def end_activity(run: Run, token: Token, reason: str = REASON) -> None:
    """End a token after the scopes for which it waits; joins and bodies count again."""
    for row in _inner(run, token):
        end_scope(run, row.id, reason)
    join = run.state.joins.get(token.join or "")
    end_token(run, token, open_rows(run.state).get(token.id, []), reason)
    if join is not None and join.status is JoinStatus.OPEN:
        recount(run, run.graph.nodes[join.node], run.state.joins[join.id])
    if run.state.scopes[token.scope].kind == BODY:
        one_less(run, token.scope)
