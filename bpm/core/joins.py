"""Joins: arriving, firing, and merging groups that cannot fill alone (semantics §3).

Traps ruled out here: a join is bound to its fork by the parallel group; it counts distinct incoming flows, never
arrivals; its state is a row, so a restart never strands it; surplus tokens open the next generation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bpm.core import events as e
from bpm.core.errors import JoinIncomplete
from bpm.core.graph import Node
from bpm.core.ids import NIL, Id
from bpm.core.phases import AFTER
from bpm.core.rows import JoinState, JoinStatus
from bpm.core.token import Token, Wait

if TYPE_CHECKING:
    from bpm.core.run import Run


COMPLEX: Final = "complex"
RESET: Final = "reset"
QUANTITY: Final = "quantity"
"""Kinds of join states beside `parallel` and `inclusive`."""


def join_group(run: Run, node: Node, token: Token) -> Id:
    """Return the group under which a token arrives at a join: its entry for the binding fork, else the nil group."""
    fork = run.graph.binding_fork.get(node.id)
    return token.groups.get(fork, NIL) if fork is not None else NIL


def arrive(run: Run, node: Node, token: Token, kind: str) -> JoinState:
    """Let a token wait at a join. Emits JoinOpened where none is open, TokenBlocked, JoinArrived."""
    group = join_group(run, node, token)
    join = run.state.join(token.scope, node.id, group)
    if join is None or join.status is not JoinStatus.OPEN:
        join = open_state(run, node, token.scope, group, kind, join.generation + 1 if join is not None else 1)
    flow = token.flow or ""
    first_of_flow = not run.state.waiting_at(join.id, flow)
    # By the flow's target: looking through the incoming flows would make a wide join quadratic.
    known = run.graph.flows.get(flow)
    arrived = join.arrived + (first_of_flow and known is not None and known.target == node.id)
    run.emit(e.TokenBlocked(token=token.id, node=node.id, wait=Wait.JOIN, join=join.id))
    run.emit(
        e.JoinArrived(
            token=token.id, node=node.id, join=join.id, flow=flow, arrived=arrived, expected=join.expected
        )
    )
    run.moved[token.scope] = None
    return run.state.joins[join.id]


def open_state(
    run: Run,
    node: Node,
    scope: Id,
    group: Id,
    kind: str,
    generation: int,
    *,
    expected: int | None = None,
    arrived: int = 0,
    tokens: tuple[Id, ...] = (),
    flows: tuple[str, ...] = (),
) -> JoinState:
    """Open a join state, with tokens left over from the one before. Emits JoinOpened.

    Args:
        expected: number of incoming flows unless it is said.
        flows: those that a gateway to be reset waits for.
    """
    join = run.new_id()
    run.emit(
        e.JoinOpened(
            join=join,
            scope=scope,
            node=node.id,
            group=group,
            kind=kind,
            generation=generation,
            expected=len(node.incoming) if expected is None else expected,
            arrived=arrived,
            tokens=tokens,
            flows=flows,
        )
    )
    return run.state.joins[join]


def oldest_per_flow(run: Run, node: Node, join: JoinState) -> list[Token]:
    """Return the oldest waiting token of each incoming flow that holds one, in the order of the flows."""
    tokens = run.state.tokens
    held = (run.state.waiting_at(join.id, flow) for flow in node.incoming)
    return [tokens[waiting[0]] for waiting in held if waiting]


def fire(run: Run, node: Node, join: JoinState) -> None:
    """Fire one join state with the oldest token of each filled flow.

    Emits TokenCompleted (final) for each, JoinFired, JoinOpened of the next generation for surplus tokens, and the
    output token. Raises JoinIncomplete if a parallel join lacks a flow: that would be a bug.
    """
    consumed = oldest_per_flow(run, node, join)
    if not consumed or (join.kind == "parallel" and len(consumed) != join.expected):
        raise JoinIncomplete(join=join.id, node=node.id, arrived=len(consumed), expected=join.expected)
    consume(run, node, consumed)
    run.emit(e.JoinFired(join=join.id, node=node.id))
    _reopen(run, node, join)
    put_out(run, node, join.scope, consumed)


def consume(run: Run, node: Node, consumed: list[Token]) -> None:
    """Emit TokenCompleted (final) for tokens that a join takes."""
    for token in consumed:
        run.emit(e.TokenCompleted(token=token.id, node=node.id, final=True))


def _reopen(run: Run, node: Node, join: JoinState) -> None:
    held = [run.state.waiting_at(join.id, flow) for flow in (*node.incoming, "")]
    surplus = tuple(token for waiting in held for token in waiting)
    if surplus:
        filled = sum(1 for waiting in held[:-1] if waiting)
        open_state(
            run,
            node,
            join.scope,
            join.group,
            join.kind,
            join.generation + 1,
            arrived=filled,
            tokens=surplus,
        )


def put_out(run: Run, node: Node, scope: Id, consumed: list[Token], *, phase: str = AFTER) -> None:
    """Create the token that goes on for those that were consumed. Emits TokenCreated, TokenArrived."""
    first = consumed[0]
    groups = dict(first.groups)
    for token in consumed[1:]:
        if token.groups != groups:
            groups = {fork: group for fork, group in groups.items() if token.groups.get(fork) == group}
    token_id = run.new_id()
    run.emit(
        e.TokenCreated(
            token=token_id,
            node=node.id,
            scope=scope,
            reason="join",
            groups=groups,
            parallel_group=first.parallel_group if len(groups) == len(first.groups) else None,
            mode=first.mode,
        )
    )
    run.emit(e.TokenArrived(token=token_id, node=node.id, phase=phase))
    run.enqueue(token_id)


def merge(run: Run, node: Node, joins: list[JoinState]) -> None:
    """Fire open states of one join together: the oldest token of each flow, whatever its group.

    Emits JoinGroupsMerged, then as `fire`. The oldest state fires; states that lost all tokens close; what remains
    in the others stays there with its own key.
    """
    run.emit(e.JoinGroupsMerged(node=node.id, joins=tuple(join.id for join in joins)))
    tokens = run.state.tokens
    consumed: list[Token] = []
    for flow in node.incoming:
        waiting = sorted(token for join in joins for token in run.state.waiting_at(join.id, flow))
        if waiting:
            consumed.append(tokens[waiting[0]])
    consume(run, node, consumed)
    run.emit(e.JoinFired(join=joins[0].id, node=node.id))
    _reopen(run, node, joins[0])
    for join in joins[1:]:
        recount(run, node, join)
    put_out(run, node, joins[0].scope, consumed)


def recount(run: Run, node: Node, join: JoinState) -> None:
    """Count again after tokens went elsewhere. Emits JoinClosed where none is left, else JoinRecounted."""
    filled = sum(1 for flow in node.incoming if run.state.waiting_at(join.id, flow))
    if filled == 0 and not run.state.waiting_at(join.id, ""):
        run.emit(e.JoinClosed(join=join.id, node=node.id, reason="merged"))
    elif filled != join.arrived:
        run.emit(e.JoinRecounted(join=join.id, node=node.id, arrived=filled))
