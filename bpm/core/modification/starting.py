"""Starting before or after a node, or on a flow (semantics §12)."""

from __future__ import annotations

from typing import Any, Final

from bpm.core import events as e
from bpm.core.errors import Invalid
from bpm.core.failure import NodeFailed
from bpm.core.graph import Activity, Flow, MultiInstance, Node
from bpm.core.ids import NIL, Id
from bpm.core.instructions import BODY_MARK, StartAfter, StartAtFlow, StartBefore, StartInstruction
from bpm.core.layers import ACTIVITY, layer_of, open_scope
from bpm.core.modification.cancelling import end_activity
from bpm.core.modification.entering import enter_levels, open_event_subprocess
from bpm.core.modification.instances import one_more
from bpm.core.modification.levels import find_base, levels_of
from bpm.core.opening import first_phase
from bpm.core.phases import AFTER
from bpm.core.rows import JoinStatus
from bpm.core.run import Run
from bpm.core.token import Token

REASON: Final = "modification"


def start_before(run: Run, instruction: StartBefore) -> Id:
    """Let a token begin at a node's entrance; return it.

    Raises:
        Invalid: there is no such node, it is ambiguous where, or a scope cannot be entered.
        Conflict: see `one_more`.
    """
    name, mark, _ = instruction.node.partition("#")
    node = _node(run, name, instruction.node)
    loops = isinstance(node, Activity) and isinstance(node.loop, MultiInstance)
    if mark and (instruction.node != name + BODY_MARK or not loops):
        raise Invalid(f"There is no node {instruction.node!r}.", node=instruction.node)
    scope, entered = _place(run, node, instruction, instance=loops and not mark)
    local = {} if entered else dict(instruction.local_variables)
    if loops and not mark:
        assert isinstance(node, Activity), "only activities loop"
        return _begin_instance(run, node, scope, local)
    if getattr(node, "triggered", False):
        return _begin_event_subprocess(run, node, scope, local)
    if getattr(node, "attached_to", None) is not None:
        return _begin_boundary(run, node, scope, local)
    return _begin(run, node, scope, local)


def start_after(run: Run, instruction: StartAfter) -> Id:
    """Let a token begin behind a node; return it.

    Raises:
        Invalid: as `start_before`, or the node has no outgoing flow or several.
    """
    name = instruction.node.removesuffix(BODY_MARK)
    node = _node(run, name, instruction.node)
    if len(node.outgoing) != 1:
        message = f"{node.id} has {len(node.outgoing)} outgoing flows; start at one of them instead."
        raise Invalid(message, node=node.id, flows=list(node.outgoing))
    return _on_flow(run, node, run.graph.flows[node.outgoing[0]], instruction)


def start_at_flow(run: Run, instruction: StartAtFlow) -> Id:
    """Let a token begin on a flow; return it.

    Raises:
        Invalid: as `start_before`, or there is no such flow.
    """
    flow = run.graph.flows.get(instruction.flow)
    if flow is None:
        raise Invalid(f"There is no sequence flow {instruction.flow!r}.", flow=instruction.flow)
    return _on_flow(run, run.graph.nodes[flow.source], flow, instruction)


def _node(run: Run, name: str, named: str) -> Node:
    node = run.graph.nodes.get(name)
    if node is None:
        raise Invalid(f"There is no node {named!r}.", node=named)
    return node


def _place(run: Run, node: Node, instruction: StartInstruction, *, instance: bool) -> tuple[Id, bool]:
    """Return the scope in which the token begins, all around it being entered, and whether anything was."""
    levels = levels_of(run.graph, node, instance=instance)
    base = find_base(run.state, levels, instruction.ancestor)
    scope, entered = enter_levels(run, base, instruction.local_variables, REASON)
    run.set_variables(scope, instruction.variables)
    run.moved[scope] = None
    return scope, entered


def _begin(run: Run, node: Node, scope: Id, local: dict[str, Any], **token: Any) -> Id:
    if not local:
        return run.create_token(node.id, scope, REASON, flow=_empty_flow(run, node, scope), **token)
    if not isinstance(node, Activity):
        raise Invalid(f"{node.id} has no scope of its own for local variables.", node=node.id)
    outer = run.create_waiting(node.id, scope, REASON, **token)
    inner = open_scope(run, ACTIVITY, node, run.token(outer))
    run.set_variables(inner, local, local=True)
    return run.create_token(node.id, inner, "activity")


def _empty_flow(run: Run, node: Node, scope: Id) -> str | None:
    """Return the first flow of a join that holds no token, so that the one that begins there counts."""
    if node.joins is None:
        return None
    states = [
        join
        for join in run.state.joins.values()
        if (join.scope, join.node, join.group) == (scope, node.id, NIL) and join.status is JoinStatus.OPEN
    ]
    held = {flow for flow in node.incoming for join in states if run.state.arrivals.get((join.id, flow))}
    # Those that earlier instructions have started wait on their flows already, though they have not moved.
    held |= {
        token.flow or ""
        for token in run.state.tokens.values()
        if token.scope == scope and token.node == node.id and not token.final and token.join is None
    }
    return next((flow for flow in node.incoming if flow not in held), node.incoming[0])


def _begin_instance(run: Run, node: Activity, body: Id, local: dict[str, Any]) -> Id:
    token = one_more(run, node, body)
    run.set_variables(run.token(token).scope, local, local=True)
    run.enqueue(token)
    return token


def _begin_event_subprocess(run: Run, node: Node, scope: Id, local: dict[str, Any]) -> Id:
    inner = open_event_subprocess(run, node, scope)
    run.set_variables(inner, local, local=True)
    phase = first_phase(run.graph, node.id)
    tokens = [
        run.create_token(start, inner, "eventSubprocess", phase=phase)
        for start in run.graph.scopes[node.id].starts
    ]
    return tokens[0]


def _begin_boundary(run: Run, node: Any, scope: Id, local: dict[str, Any]) -> Id:
    """Begin at a boundary event; an interrupting one ends the activity at which it stands, if that goes on.

    Raises:
        Invalid: the activity goes on several times, or the event is one of compensation, which nothing leaves.
    """
    around = run.graph.nodes[node.attached_to]
    if node.id not in getattr(around, "boundary", ()):
        raise Invalid(f"{node.id} only shows what undoes {around.id}.", node=node.id)
    hosts = _hosts(run, around, scope) if node.interrupting else []
    if len(hosts) > 1:
        message = f"{node.attached_to} goes on {len(hosts)} times; cancel one and start behind {node.id}."
        raise Invalid(message, node=node.id, tokens=[token.id for token in hosts])
    for host in hosts:
        end_activity(run, host, "interrupted")
        return _begin(run, node, scope, local, groups=host.groups, parallel_group=host.parallel_group)
    return _begin(run, node, scope, local)


def _hosts(run: Run, node: Node, scope: Id) -> list[Token]:
    return [
        token
        for token in run.state.tokens.values()
        if (token.node, token.scope) == (node.id, scope)
        and not token.final
        and layer_of(run, node, token) is None
    ]


def _on_flow(run: Run, node: Node, flow: Flow, instruction: StartInstruction) -> Id:
    scope, entered = _place(run, node, instruction, instance=False)
    if instruction.local_variables and not entered:
        raise Invalid("A flow has no scope of its own for local variables.", flow=flow.id)
    token = run.create_waiting(node.id, scope, REASON, phase=AFTER)
    try:
        run.listen(flow.on_take, run.token(token))
    except NodeFailed as failure:
        run.fail(run.token(token), failure)
        return token
    run.emit(e.TokenCompleted(token=token, node=node.id))
    run.emit(e.TokenArrived(token=token, node=flow.target, flow=flow.id))
    run.enqueue(token)
    return token
