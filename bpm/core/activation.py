"""Complex gateways: activated by their condition, reset when no late token can come any more (semantics §3).

    complex   tokens wait; at each arrival the condition is asked. True: the oldest token of each flow is consumed.
    reset     the flows that had none are still waited for; what comes on them is consumed when the gateway resets.

Tokens that are left over wait for the next activation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bpm.core import events as e
from bpm.core.expressions import Expression
from bpm.core.failure import NodeFailed
from bpm.core.graph import Node
from bpm.core.ids import Id
from bpm.core.joins import COMPLEX, RESET, arrive, consume, oldest_per_flow, open_state, put_out, recount
from bpm.core.phases import RESETTING
from bpm.core.rows import JoinState
from bpm.core.token import Token

if TYPE_CHECKING:
    from bpm.core.run import Run

COUNT = "activationCount"


def arrive_at(run: Run, node: Node, token: Token, activation: Expression | None) -> None:
    """Let a token wait at a complex gateway, and activate that if its condition is true now.

    Raises:
        NodeFailed: the condition cannot be evaluated.
    """
    join = arrive(run, node, token, COMPLEX)
    if join.kind == COMPLEX and _is_activated(run, node, join, token, activation):
        _activate(run, node, join)


def _is_activated(run: Run, node: Node, join: JoinState, place: Token, activation: Expression | None) -> bool:
    """Ask the condition; without one, every flow must hold a token."""
    if activation is None:
        return join.arrived == join.expected
    count = sum(len(tokens) for tokens in _held(run, node, join))
    return run.truth(activation, place, {COUNT: count})


def _held(run: Run, node: Node, join: JoinState) -> list[tuple[Id, ...]]:
    return [run.state.waiting_at(join.id, flow) for flow in (*node.incoming, "")]


def _activate(run: Run, node: Node, join: JoinState) -> None:
    """Emit TokenCompleted (final) for the oldest token of each flow, JoinFired, JoinOpened for the rest."""
    consumed = oldest_per_flow(run, node, join)
    came = {token.flow for token in consumed}
    late = tuple(flow for flow in node.incoming if flow not in came)
    consume(run, node, consumed)
    run.emit(e.JoinFired(join=join.id, node=node.id))
    if late:
        _open_next(run, node, join, RESET, late)
    put_out(run, node, join.scope, consumed)
    if not late:
        _begin_anew(run, node, join)


def _open_next(run: Run, node: Node, join: JoinState, kind: str, flows: tuple[str, ...]) -> JoinState:
    held = _held(run, node, join)
    return open_state(
        run,
        node,
        join.scope,
        join.group,
        kind,
        join.generation + 1,
        arrived=sum(1 for tokens in held[:-1] if tokens),
        tokens=tuple(token for tokens in held for token in tokens),
        flows=flows,
    )


def _begin_anew(run: Run, node: Any, join: JoinState) -> None:
    """Wait for the next activation with the tokens that are left over."""
    if not any(_held(run, node, join)):
        return
    following = _open_next(run, node, join, COMPLEX, ())
    oldest = run.token(min(token for tokens in _held(run, node, following) for token in tokens))
    try:
        activated = _is_activated(run, node, following, oldest, node.activation)
    except NodeFailed as failure:
        run.fail(oldest, failure)
        recount(run, node, following)
        return
    if activated:
        _activate(run, node, following)


def reset(run: Run, node: Node, join: JoinState) -> None:
    """Consume what came late; flows with a true condition of their own get a token, unconditional ones do not."""
    late = [token for token in oldest_per_flow(run, node, join) if token.flow in join.flows]
    consume(run, node, late)
    run.emit(e.JoinFired(join=join.id, node=node.id))
    run.moved[join.scope] = None
    if late and any(run.graph.flows[flow].condition is not None for flow in node.outgoing):
        put_out(run, node, join.scope, late, phase=RESETTING)
    _begin_anew(run, node, join)
