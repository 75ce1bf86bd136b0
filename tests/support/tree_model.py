"""Process models with scopes inside one another, written as indented text, one node a line.

    start s -> book
    sub book saga=local -> undo
      start bs -> hotel
      user hotel undo=cancel_hotel -> be
      user cancel_hotel
      end be
    throw undo compensate=hotel -> e
    end e

Lines are as in `tests.support.model`: kind, id, options, targets; two blanks more begin the inside of the line above.
Further kinds and options:

    sub, transaction, adhoc, handler   the inside follows; `handler` is an event subprocess
    boundary b at=host error=E         boundary event; the event's option names its trigger
    catch, throw, start, end           with a trigger: `error=` `escalation=` `signal=` `message=` `timer=` `compensate`
                                       (alone: all; with a name: that activity) `cancel` `terminate`, `nowait`, `link=`
    undo=h                             h is the compensation handler: boundary event and association are made
    mi=3, items="${list}"              multi-instance, parallel unless `seq`; `done="${…}"` completion condition,
                                       `item=` element variable
    loop="${…}"                        standard loop
    in_x="${…}", out_x="${…}"          input and output mappings
    complex g when="${…}"              complex gateway
    needs=2, gives=2                   start and completion quantity
    saga=local                         saga mode; for the process itself an argument of `tree_xml`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from tests.support.model import ELSE, FlowSpec, parse_line

_TAGS = {
    "start": "startEvent",
    "end": "endEvent",
    "catch": "intermediateCatchEvent",
    "throw": "intermediateThrowEvent",
    "boundary": "boundaryEvent",
    "task": "task",
    "user": "userTask",
    "external": "serviceTask",
    "script": "scriptTask",
    "xor": "exclusiveGateway",
    "par": "parallelGateway",
    "or": "inclusiveGateway",
    "complex": "complexGateway",
    "sub": "subProcess",
    "transaction": "transaction",
    "adhoc": "adHocSubProcess",
    "handler": "subProcess",
}
_REFERENCES = {
    "error": "errorRef",
    "escalation": "escalationRef",
    "signal": "signalRef",
    "message": "messageRef",
}
_NAMESPACES = (
    'xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xmlns:camunda="http://camunda.org/schema/1.0/bpmn" xmlns:own="urn:bpm-engine:1" targetNamespace="urn:test"'
)


class _Line(NamedTuple):
    kind: str
    id: str
    options: dict[str, str]
    flows: tuple[FlowSpec, ...]


@dataclass
class _Scope:
    """A line with the lines inside it."""

    line: _Line | None
    inside: list[_Scope] = field(default_factory=list)

    def lines(self) -> Iterator[_Line]:
        """Yield all lines below."""
        for scope in self.inside:
            assert scope.line is not None
            yield scope.line
            yield from scope.lines()


def tree_xml(text: str, key: str = "p", *, saga: str | None = None) -> bytes:
    """Return one file with one executable process."""
    root = _read(text)
    undone = {line.options["undo"] for line in root.lines() if "undo" in line.options}
    mode = f' own:saga="{saga}"' if saga else ""
    process = f'<process id="{key}" isExecutable="true"{mode}>{_inside(root, undone)}</process>'
    return f'<definitions id="definitions" {_NAMESPACES}>{_roots(root)}{process}</definitions>'.encode()


def _read(text: str) -> _Scope:
    root = _Scope(None)
    stack = [(-1, root)]
    used: set[str] = set()
    lines = [line for line in text.splitlines() if line.strip()]
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    for line in lines:
        depth = len(line) - len(line.lstrip()) - margin
        while stack[-1][0] >= depth:
            stack.pop()
        spec = parse_line(line.strip(), used, _TAGS)
        scope = _Scope(_Line(spec.kind, spec.id, dict(spec.options), spec.flows))
        stack[-1][1].inside.append(scope)
        stack.append((depth, scope))
    return root


def _roots(root: _Scope) -> str:
    found: dict[str, str] = {}
    for line in root.lines():
        for kind in _REFERENCES:
            name = line.options.get(kind)
            if name:
                code = f' {kind}Code="{name}"' if kind in ("error", "escalation") else ""
                found[f"{kind}-{name}"] = f'<{kind} id="{kind}-{name}" name="{name}"{code}/>'
    return "".join(found.values())


def _inside(scope: _Scope, undone: set[str]) -> str:
    return "".join(_node(inner, undone) for inner in scope.inside) + "".join(
        _flow(flow) for inner in scope.inside if inner.line is not None for flow in inner.line.flows
    )


def _node(scope: _Scope, undone: set[str]) -> str:
    line = scope.line
    assert line is not None
    tag = _TAGS[line.kind]
    written = "".join(f" {name}={quoteattr(value)}" for name, value in _attributes(line, undone).items())
    inside = _extensions(line) + _loop(line) + _trigger(line) + _inside(scope, undone) + _content(line)
    return f"<{tag}{written}>{inside}</{tag}>" + _undo(line)


def _attributes(line: _Line, undone: set[str]) -> dict[str, str]:
    options = line.options
    found = {"id": line.id}
    if line.kind == "handler":
        found["triggeredByEvent"] = "true"
    if line.kind == "external":
        found |= {"camunda:type": "external", "camunda:topic": options.get("topic", line.id)}
    if line.id in undone:
        found["isForCompensation"] = "true"
    if "keep" in options:
        found["cancelActivity" if line.kind == "boundary" else "isInterrupting"] = "false"
    names = {
        "at": "attachedToRef",
        "needs": "startQuantity",
        "gives": "completionQuantity",
        "saga": "own:saga",
        "ordering": "ordering",
        "rest": "cancelRemainingInstances",
        "result": "camunda:resultVariable",
    }
    found |= {name: options[option] for option, name in names.items() if option in options}
    found |= {f"camunda:async{side.title()}": "true" for side in ("before", "after") if side in options}
    default = next((flow.id for flow in line.flows if flow.condition == ELSE), None)
    return found | ({"default": default} if default else {})


def _extensions(line: _Line) -> str:
    found = ""
    for prefix, tag in (("in_", "inputParameter"), ("out_", "outputParameter")):
        for name, value in line.options.items():
            if name.startswith(prefix):
                found += f'<camunda:{tag} name="{name.removeprefix(prefix)}">{escape(value)}</camunda:{tag}>'
    return (
        f"<extensionElements><camunda:inputOutput>{found}</camunda:inputOutput></extensionElements>"
        if found
        else ""
    )


def _loop(line: _Line) -> str:
    options = line.options
    if "loop" in options:
        condition = f"<loopCondition>{escape(options['loop'])}</loopCondition>" if options["loop"] else ""
        maximum = f' loopMaximum="{options["most"]}"' if "most" in options else ""
        before = ' testBefore="true"' if "first" in options else ""
        return f"<standardLoopCharacteristics{maximum}{before}>{condition}</standardLoopCharacteristics>"
    if "mi" not in options and "items" not in options:
        return ""
    attributes = ' isSequential="true"' if "seq" in options else ""
    inside = f"<loopCardinality>{options['mi']}</loopCardinality>" if "mi" in options else ""
    if "items" in options:
        attributes += f" camunda:collection={quoteattr(options['items'])}"
        attributes += f" camunda:elementVariable={quoteattr(options.get('item', 'item'))}"
    if "done" in options:
        inside += f"<completionCondition>{escape(options['done'])}</completionCondition>"
    return f"<multiInstanceLoopCharacteristics{attributes}>{inside}</multiInstanceLoopCharacteristics>"


def _trigger(line: _Line) -> str:
    options = line.options
    found = ""
    for kind, reference in _REFERENCES.items():
        if kind in options:
            named = f' {reference}="{kind}-{options[kind]}"' if options[kind] else ""
            found += f"<{kind}EventDefinition{named}/>"
    if "timer" in options:
        found += (
            f"<timerEventDefinition><timeDuration>{options['timer']}</timeDuration></timerEventDefinition>"
        )
    if "compensate" in options:
        named = f' activityRef="{options["compensate"]}"' if options["compensate"] else ""
        waits = ' waitForCompletion="false"' if "nowait" in options else ""
        found += f"<compensateEventDefinition{named}{waits}/>"
    if "link" in options:
        found += f'<linkEventDefinition name="{options["link"]}"/>'
    return found + "".join(f"<{kind}EventDefinition/>" for kind in ("cancel", "terminate") if kind in options)


def _content(line: _Line) -> str:
    if line.kind == "script":
        return f"<script>{escape(line.options['script'])}</script>"
    if line.kind == "complex" and "when" in line.options:
        return f"<activationCondition>{escape(line.options['when'])}</activationCondition>"
    if line.kind == "adhoc" and "until" in line.options:
        return f"<completionCondition>{escape(line.options['until'])}</completionCondition>"
    return ""


def _undo(line: _Line) -> str:
    handler = line.options.get("undo")
    if handler is None:
        return ""
    event = f"{line.id}_undone"
    return (
        f'<boundaryEvent id="{event}" attachedToRef="{line.id}"><compensateEventDefinition/></boundaryEvent>'
        f'<association id="{event}_by" associationDirection="One" sourceRef="{event}" targetRef="{handler}"/>'
    )


def _flow(flow: FlowSpec) -> str:
    ends = f'id="{flow.id}" sourceRef="{flow.source}" targetRef="{flow.target}"'
    if flow.condition is None or flow.condition == ELSE:
        return f"<sequenceFlow {ends}/>"
    return f"<sequenceFlow {ends}><conditionExpression>{escape(flow.condition)}</conditionExpression></sequenceFlow>"
