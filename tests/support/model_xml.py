"""From a model to a BPMN file, with the Camunda attributes that its options stand for."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from tests.support.model import ELSE, KINDS, FlowSpec, Model, NodeSpec

_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    ' xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="definitions" targetNamespace="urn:test">\n'
)
_ATTRIBUTES = {
    "title": "name",
    "assignee": "camunda:assignee",
    "candidate_users": "camunda:candidateUsers",
    "candidate_groups": "camunda:candidateGroups",
    "due_date": "camunda:dueDate",
    "follow_up_date": "camunda:followUpDate",
    "topic": "camunda:topic",
    "handler": "camunda:delegateExpression",
    "expression": "camunda:expression",
    "result": "camunda:resultVariable",
    "format": "scriptFormat",
}
_TIMES = {"duration": "timeDuration", "date": "timeDate", "cycle": "timeCycle"}


def write_xml(*models: Model) -> bytes:
    """Return one file with the processes of these models, all executable."""
    return (_HEAD + "".join(map(_process, models)) + "</definitions>\n").encode()


def _process(model: Model) -> str:
    body = "".join(map(_node, model.nodes)) + "".join(_flow(model, flow) for flow in model.flows)
    return f'<process id="{model.key}" isExecutable="true">\n{body}</process>\n'


def _node(spec: NodeSpec) -> str:
    tag = KINDS[spec.kind]
    written = "".join(f" {name}={quoteattr(value)}" for name, value in _attributes(spec).items())
    inside = _retry_cycle(spec) + _children(spec)
    return f"<{tag}{written}>{inside}</{tag}>\n" if inside else f"<{tag}{written}/>\n"


def _attributes(spec: NodeSpec) -> dict[str, str]:
    found = {"id": spec.id}
    found |= {_ATTRIBUTES[name]: value for name, value in spec.options.items() if name in _ATTRIBUTES}
    if "priority" in spec.options:
        name = "camunda:priority" if spec.kind == "user" else "camunda:taskPriority"
        found[name] = spec.options["priority"]
    if spec.kind == "external":
        found["camunda:type"] = "external"
    found |= {f"camunda:async{side.title()}": "true" for side in ("before", "after") if spec.flag(side)}
    default = next((flow.id for flow in spec.flows if flow.condition == ELSE), None)
    return found | ({"default": default} if default else {})


def _retry_cycle(spec: NodeSpec) -> str:
    cycle = spec.options.get("delays")
    if "attempts" in spec.options:
        cycle = f"R{spec.options['attempts']}/{cycle or 'PT0S'}"
    if cycle is None:
        return ""
    text = f"<camunda:failedJobRetryTimeCycle>{cycle}</camunda:failedJobRetryTimeCycle>"
    return f"<extensionElements>{text}</extensionElements>"


def _children(spec: NodeSpec) -> str:
    if spec.kind == "terminate":
        return "<terminateEventDefinition/>"
    if spec.kind == "script":
        return f"<script>{escape(spec.options.get('script', ''))}</script>"
    if spec.kind == "timer":
        name = next(name for name in _TIMES if name in spec.options)
        text = f"<{_TIMES[name]}>{escape(spec.options[name])}</{_TIMES[name]}>"
        return f"<timerEventDefinition>{text}</timerEventDefinition>"
    return ""


def _flow(model: Model, flow: FlowSpec) -> str:
    ends = f'id="{flow.id}" sourceRef="{flow.source}" targetRef="{flow.target}"'
    if flow.condition is None or flow.condition == ELSE:
        return f"<sequenceFlow {ends}/>\n"
    condition = (
        f'<conditionExpression xsi:type="tFormalExpression">{escape(flow.condition)}</conditionExpression>'
    )
    return f"<sequenceFlow {ends}>{condition}</sequenceFlow>\n"
