"""How a token leaves its node: which flows, one token or several (semantics §2, §3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bpm.core import events as e
from bpm.core.event_mappings import put_out
from bpm.core.failure import NodeFailed
from bpm.core.graph import Activity, Flow, Node
from bpm.core.layers import ACTIVITY
from bpm.core.phases import ARRIVED
from bpm.core.token import Token

if TYPE_CHECKING:
    from bpm.core.run import Run


def conditional_flows(run: Run, node: Node, token: Token) -> tuple[Flow, ...]:
    """Return the flows by the rule for activities and events: unconditional ones, true ones, else the default.

    Raises:
        NodeFailed: `NoFlow` where none can be taken, `ExpressionFailed`.
    """
    flows = run.graph.flows
    if len(node.outgoing) == 1:
        flow = flows[node.outgoing[0]]
        if flow.condition is None or run.truth(flow.condition, token):
            return (flow,)
        raise no_flow(node)
    taken: list[Flow] = []
    any_true = False
    for name in node.outgoing:
        flow = flows[name]
        if name == node.default:
            continue
        if flow.condition is None:
            taken.append(flow)
        elif run.truth(flow.condition, token):
            taken.append(flow)
            any_true = True
    if node.default is not None and not any_true:
        taken.append(flows[node.default])
    if node.outgoing and not taken:
        raise no_flow(node)
    return tuple(taken)


def finish_unlayered(run: Run, node: Node, token: Token, layer: str | None) -> None:
    """Tell end listeners and map an event's outputs, unless scopes of the node's own have done so.

    An event that came while it was waited for elsewhere is also told that it starts.

    Raises:
        NodeFailed: a listener or mapping cannot be evaluated.
    """
    caught = token.phase in ARRIVED
    if layer is not None or (node.layered and not caught):
        return
    if caught:
        run.listen(node.on_start, token)
    if node.on_end:
        run.listen(node.on_end, token)
    if node.outputs:
        put_out(run, node, token)


def leave_layer(run: Run, node: Node, token: Token, layer: str) -> None:
    """Let a token whose work in one of an activity's own scopes is done go on there.

    Raises:
        NodeFailed: a listener, mapping or condition cannot be evaluated.
    """
    from bpm.core.activities import finish
    from bpm.core.completing import instance_done

    assert isinstance(node, Activity), "only activities have scopes of their own"
    (finish if layer == ACTIVITY else instance_done)(run, node, token)


def watcher(run: Run, node: Node) -> Node | None:
    """Return the subprocess around an activity that wants to know when it is left."""
    around = run.graph.nodes.get(node.scope)
    return around if around is not None and around.watches and isinstance(node, Activity) else None


def no_flow(node: Node) -> NodeFailed:
    """Return the failure of a node none of whose flows can be taken."""
    return NodeFailed("NoFlow", f"No outgoing flow of {node.id} can be taken: no condition is true.")


def take(run: Run, node: Node, token: Token, flows: Iterable[Flow], copies: int = 1) -> None:
    """Move a token along flows: end it where there is none, split it at a fork; at a link's throw, to its catch.

    Emits TokenTerminated, or TokenCompleted and TokenArrived, or TokenCompleted (final) and new tokens.

    Args:
        copies: tokens that go along each flow (`completionQuantity`).
    """
    taken = list(flows)
    if not taken and node.jump is not None:
        run.emit(e.TokenCompleted(token=token.id, node=node.id))
        run.emit(e.TokenArrived(token=token.id, node=node.jump))
        run.enqueue(token.id)
        return
    if not taken:
        run.end(token, "end")
        return
    run.moved[token.scope] = None
    for flow in taken:
        run.listen(flow.on_take, token)
    if node.forks or copies > 1:
        _fork(run, node, token, taken, copies)
        return
    (flow,) = taken
    run.emit(e.TokenCompleted(token=token.id, node=node.id))
    run.emit(e.TokenArrived(token=token.id, node=flow.target, flow=flow.id))
    run.enqueue(token.id)


def _fork(run: Run, node: Node, token: Token, flows: list[Flow], copies: int) -> None:
    run.emit(e.TokenCompleted(token=token.id, node=node.id, final=True))
    group = run.new_id() if node.forks else None
    groups = {**token.groups, node.id: group} if group is not None else token.groups
    for flow in flows:
        for _ in range(copies):
            run.create_token(
                flow.target,
                token.scope,
                "fork",
                flow=flow.id,
                groups=groups,
                parallel_group=group or token.parallel_group,
                mode=token.mode,
            )
