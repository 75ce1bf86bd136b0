"""Starting and cancelling instances, setting variables."""

from __future__ import annotations

from typing import Any

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.between import FailCall
from bpm.core.elements.start_event import StartEvent, wait_for_others
from bpm.core.ending import end_scope
from bpm.core.errors import Invalid, NotStartable
from bpm.core.event_mappings import stays_local
from bpm.core.failure import NodeFailed
from bpm.core.graph import Graph, Node
from bpm.core.handling.guards import require_alive
from bpm.core.handling.modifying import carry_out
from bpm.core.ids import Id
from bpm.core.instructions import Instruction, StartInstruction
from bpm.core.opening import arm_scope, fail_unarmed, first_phase
from bpm.core.phases import CAUGHT
from bpm.core.run import Run
from bpm.core.stage import Spot
from bpm.core.starts import came_first, instantiating_gateway, targets_of


def start(run: Run, command: c.StartInstance) -> dict[str, Any]:
    """Emit InstanceStarted, ScopeEntered, VariableSet …, then tokens at the starts.

    Raises:
        NotStartable: there is nowhere to start without a trigger.
        Invalid: no trigger starts an instance at the node, or an instruction cannot be carried out.
    """
    graph, instance = run.graph, run.state.instance
    if command.instructions:
        _require_starting(command.instructions)
    elif command.node is not None:
        _require_entry(graph, command.node)
    elif not graph.root.starts:
        others = ", ".join(graph.extras.get("triggered_starts", ()))
        raise NotStartable(f"{graph.key} has no none start event; it starts by {others or 'nothing'}.")
    run.emit(
        e.InstanceStarted(
            definition=command.definition,
            definition_key=graph.key,
            tenant=command.tenant,
            business_key=command.business_key,
            parent_instance=command.parent_instance,
            parent_token=command.parent_token,
            root=command.root or instance.id,
        )
    )
    run.state.fresh.add(instance.id)
    run.emit(e.ScopeEntered(scope=instance.id, node=graph.key, kind="process"))
    local = stays_local(graph.nodes[command.node], command.variables) if command.node is not None else {}
    given = {name: value for name, value in command.variables.items() if name not in local}
    run.set_variables(instance.id, given, local=True)
    _name_initiator(run, command)
    failure = arm_scope(run, instance.id)
    if command.instructions:
        _tell_start(run, failure)
        carry_out(run, command.instructions)
        return {}
    if command.node is not None:
        first = _enter_at(run, graph.nodes[command.node], command.trigger)
        run.brought[first] = local
    else:
        first = _enter_all(run)
    fail_unarmed(run, first, failure)
    return {}


def _enter_all(run: Run) -> Id:
    """Begin where no trigger is needed; return the first token."""
    graph, phase = run.graph, first_phase(run.graph, run.graph.key)
    first, *_ = [
        run.create_token(node, run.state.instance.id, "start", phase="" if number else phase)
        for number, node in enumerate(graph.root.starts)
    ]
    return first


def _tell_start(run: Run, failure: NodeFailed | None) -> None:
    """Evaluate the start listeners of a process that begins by instructions.

    Args:
        failure: why what starts event subprocesses could not be armed.

    Raises:
        Invalid: that, or a listener cannot be evaluated.
    """
    graph = run.graph
    try:
        if failure is not None:
            raise failure
        run.listen(graph.root.on_start, Spot(run.state.instance.id, graph.key))
    except NodeFailed as failure:
        raise Invalid(f"{graph.key} cannot be started: {failure.message}", incident=failure.kind) from None


def _name_initiator(run: Run, command: c.StartInstance) -> None:
    """Put the actor into the variable that a start event declares for it."""
    for name in (command.node,) if command.node is not None else run.graph.root.starts:
        variable = getattr(run.graph.nodes[name], "initiator", None)
        if variable and command.actor:
            run.set_variables(run.state.instance.id, {variable: command.actor}, local=True)


def _require_starting(instructions: tuple[Instruction, ...]) -> None:
    if not all(isinstance(one, StartInstruction) for one in instructions):
        raise Invalid("An instance is started by instructions that start something.")


def _require_entry(graph: Graph, name: str) -> None:
    node = graph.nodes.get(name)
    triggered = graph.extras.get("triggered_starts", ())
    gateway = instantiating_gateway(graph, node) if node is not None else None
    if node is None or not (name in triggered or (gateway is not None and gateway.id in triggered)):
        raise Invalid("Nothing that comes starts an instance at this node.", node=name)


def _enter_at(run: Run, node: Node, trigger: str) -> Id:
    """Begin where a trigger has come, with the token returned; behind a parallel gateway all else is waited for."""
    graph, scope = run.graph, run.state.instance.id
    if isinstance(node, StartEvent) and node.parallel and len(node.triggers) > 1:
        return wait_for_others(run, node, came_first(node, trigger))
    if node.tag == "startEvent":
        return run.create_token(node.id, scope, "start", phase=first_phase(graph, graph.key))
    gateway = instantiating_gateway(run.graph, node)
    targets = targets_of(run.graph, gateway) if gateway is not None else []
    flow = next((name for name, target in targets if target is node), None)
    phase = first_phase(graph, graph.key, CAUGHT)
    token = run.create_waiting(node.id, scope, "start", flow=flow, phase=phase)
    run.enqueue(token)
    for name, target in targets:
        if gateway.parallel and target is not node:
            run.create_token(target.id, scope, "start", flow=name)
    return token


def cancel(run: Run, command: c.CancelInstance) -> dict[str, Any]:
    """End everything inside, then emit ScopeTerminated, InstanceCancelled. A suspended instance can be cancelled.

    Raises:
        InstanceEnded: it has ended already.
    """
    instance = run.state.instance
    if instance.ended:
        require_alive(run)
    end_instance(run, command.reason)
    if instance.parent_instance is not None and not command.by_caller:
        message = f"The called instance was cancelled: {command.reason or 'no reason was given'}."
        content = FailCall(
            token=instance.parent_token or "", called=instance.id, kind="CallCancelled", message=message
        )
        run.send(instance.parent_instance, content)
    return {}


def end_instance(run: Run, reason: str) -> None:
    """End everything inside, then emit ScopeTerminated, InstanceCancelled."""
    instance = run.state.instance
    end_scope(run, instance.id, "cancelled")
    run.emit(e.InstanceCancelled(reason=reason))
