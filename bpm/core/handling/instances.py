"""Starting and cancelling instances, setting variables."""

from __future__ import annotations

from typing import Any

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.arming import arm_handlers
from bpm.core.between import FailCall
from bpm.core.ending import end_scope
from bpm.core.errors import Invalid, NotStartable
from bpm.core.graph import Graph, Node
from bpm.core.handling.guards import require_alive
from bpm.core.handling.modifying import carry_out
from bpm.core.instructions import Instruction, StartInstruction
from bpm.core.phases import AFTER
from bpm.core.run import Run
from bpm.core.starts import instantiating_gateway, targets_of


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
    run.set_variables(instance.id, command.variables, local=True)
    _name_initiator(run, command)
    arm_handlers(run, instance.id)
    if command.instructions:
        carry_out(run, command.instructions)
    elif command.node is not None:
        _enter_at(run, graph.nodes[command.node])
    else:
        for node in graph.root.starts:
            run.create_token(node, instance.id, "start")
    return {}


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


def _enter_at(run: Run, node: Node) -> None:
    """Begin where a trigger has come; behind a parallel gateway everything else is waited for."""
    scope = run.state.instance.id
    if node.tag == "startEvent":
        run.create_token(node.id, scope, "start")
        return
    gateway = instantiating_gateway(run.graph, node)
    targets = targets_of(run.graph, gateway) if gateway is not None else []
    flow = next((name for name, target in targets if target is node), None)
    run.enqueue(run.create_waiting(node.id, scope, "start", flow=flow, phase=AFTER))
    for name, target in targets:
        if gateway.parallel and target is not node:
            run.create_token(target.id, scope, "start", flow=name)


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
