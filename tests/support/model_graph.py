"""From a model to the compiled graph, by the core's own node classes and without XML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bpm.core.dominators import binding_forks
from bpm.core.elements.end_event import EndEvent
from bpm.core.elements.exclusive_gateway import ExclusiveGateway
from bpm.core.elements.inclusive_gateway import InclusiveGateway
from bpm.core.elements.intermediate_catch_event import IntermediateCatchEvent
from bpm.core.elements.intermediate_throw_event import IntermediateThrowEvent
from bpm.core.elements.parallel_gateway import ParallelGateway
from bpm.core.elements.script_task import ScriptTask
from bpm.core.elements.service_task import ServiceTask
from bpm.core.elements.start_event import StartEvent
from bpm.core.elements.task import Task
from bpm.core.elements.user_task import UserTask
from bpm.core.expressions import Expression, compile_condition, compile_expression
from bpm.core.graph import Flow, Graph, Node, ScopeGraph
from bpm.core.triggers.timer import Timer
from tests.support.model import ELSE, KINDS, FlowSpec, Model, NodeSpec

Make = Callable[[NodeSpec, dict[str, Any]], Node]


def build_graph(model: Model) -> Graph:
    """Return the compiled graph of a model."""
    nodes = {spec.id: _build_node(model, spec, order) for order, spec in enumerate(model.nodes)}
    flows = {
        flow.id: _build_flow(flow, ignored=nodes[flow.source].tag == "parallelGateway")
        for flow in model.flows
    }
    starts = [spec.id for spec in model.nodes if spec.kind == "start"]
    entries = [spec.id for spec in model.nodes if not model.incoming[spec.id]]
    root = ScopeGraph(id=model.key, parent=None, starts=tuple(starts or entries), nodes=tuple(nodes))
    return Graph(
        key=model.key,
        nodes=nodes,
        flows=flows,
        scopes={model.key: root},
        binding_fork=binding_forks(root, nodes, flows),
    )


def _build_flow(flow: FlowSpec, *, ignored: bool) -> Flow:
    condition = None
    if flow.condition is not None and flow.condition != ELSE and not ignored:
        condition = compile_condition(flow.condition)
    return Flow(flow.id, flow.source, flow.target, condition)


def _build_node(model: Model, spec: NodeSpec, order: int) -> Node:
    attempts = spec.options.get("attempts")
    written = spec.options.get("delays") or ("PT0S" if attempts else "")
    delays = tuple(written.split(",")) if written else ()
    common: dict[str, Any] = {
        "id": spec.id,
        "tag": KINDS[spec.kind],
        "scope": model.key,
        "incoming": model.incoming[spec.id],
        "outgoing": tuple(flow.id for flow in spec.flows),
        "default": next((flow.id for flow in spec.flows if flow.condition == ELSE), None),
        "order": order,
        "before": spec.flag("before"),
        "after": spec.flag("after"),
        "job_retries": int(attempts) if attempts else len(delays) + 1 if delays else 3,
        "job_delays": delays,
    }
    return _MAKERS[spec.kind](spec, common)


def _expression(spec: NodeSpec, name: str, *, effects: bool = False) -> Expression | None:
    text = spec.options.get(name)
    return compile_expression(text, effects=effects) if text else None


def _user(spec: NodeSpec, common: dict[str, Any]) -> Node:
    names = (
        "title",
        "assignee",
        "candidate_users",
        "candidate_groups",
        "due_date",
        "follow_up_date",
        "priority",
    )
    written: dict[str, Any] = {name: _expression(spec, name) for name in names}
    return UserTask(**common, form_key=None, **written)


def _service(spec: NodeSpec, common: dict[str, Any]) -> Node:
    topic = spec.options.get("topic")
    name = spec.options.get("handler") or (topic if spec.kind == "service" else None)
    named = topic or name
    return ServiceTask(
        **common,
        external=spec.kind == "external",
        topic=compile_expression(named) if named else None,
        names=tuple(filter(None, [name])) if spec.kind == "service" else tuple(filter(None, [topic])),
        expression=_expression(spec, "expression", effects=True),
        result_variable=spec.options.get("result"),
        priority=_expression(spec, "priority"),
        retries=common["job_retries"],
    )


def _script(spec: NodeSpec, common: dict[str, Any]) -> Node:
    text, form = spec.options.get("script", ""), spec.options.get("format", "")
    marked = "${" in text or text.startswith("=")
    compiled = None
    if not form and marked:
        compiled = compile_expression(text, effects=True)
    elif form == "juel":
        compiled = compile_expression(text if marked else "${" + text + "}", effects=True)
    elif form == "feel":
        compiled = compile_expression(text if text.startswith("=") else "=" + text)
    return ScriptTask(
        **common, format=form, script=text, expression=compiled, result_variable=spec.options.get("result")
    )


def _timer(spec: NodeSpec, common: dict[str, Any]) -> Node:
    kind = next(name for name in ("duration", "date", "cycle") if name in spec.options)
    timer = Timer(kind=kind, text=compile_expression(spec.options[kind]))
    return IntermediateCatchEvent(**common, triggers=(("timerEventDefinition", timer),))


_MAKERS: dict[str, Make] = {
    "start": lambda spec, common: StartEvent(**common),
    "end": lambda spec, common: EndEvent(**common),
    "terminate": lambda spec, common: EndEvent(**common, triggers=(("terminateEventDefinition", None),)),
    "timer": _timer,
    "throw": lambda spec, common: IntermediateThrowEvent(**common),
    "task": lambda spec, common: Task(**common),
    "manual": lambda spec, common: Task(**common),
    "user": _user,
    "service": _service,
    "external": _service,
    "script": _script,
    "xor": lambda spec, common: ExclusiveGateway(**common),
    "par": lambda spec, common: ParallelGateway(**common),
    "or": lambda spec, common: InclusiveGateway(**common),
}
