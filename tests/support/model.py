"""Small process models written as text, one node a line.

    start s -> f
    par f -> a, b
    user a assignee=kim -> j
    external b topic=pay retries=2 -> yes:j [amount > 10], j [else]
    par j -> e
    end e

A target may carry the id of its flow in front (`yes:`), a condition in brackets, or `[else]` for the default flow.
Values with blanks stand in double quotes. Options of every node: `before`, `after` (both without value) and
`delays=PT1S,PT5S`. An external task's topic is its id where none is given. `model_graph` makes the compiled graph of
it, `model_xml` the BPMN file.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cached_property

KINDS: Mapping[str, str] = {
    "start": "startEvent",
    "end": "endEvent",
    "terminate": "endEvent",
    "timer": "intermediateCatchEvent",
    "throw": "intermediateThrowEvent",
    "task": "task",
    "manual": "manualTask",
    "user": "userTask",
    "service": "serviceTask",
    "external": "serviceTask",
    "script": "scriptTask",
    "xor": "exclusiveGateway",
    "par": "parallelGateway",
    "or": "inclusiveGateway",
}
"""First word of a line to the BPMN element."""

ELSE = "else"

_LINE = re.compile(
    r"(?P<kind>\w+)\s+(?P<id>\w+)"
    r'(?P<options>(?:\s+\w+(?:=(?:"[^"]*"|\S+))?)*)'
    r"(?:\s*->\s*(?P<targets>.*))?$"
)
_OPTION = re.compile(r'(\w+)(?:=("[^"]*"|\S+))?')
_TARGET = re.compile(r"\s*(?:(?P<flow>\w+):)?(?P<target>\w+)\s*(?:\[(?P<condition>[^\]]*)\])?\s*(?:,|$)")


@dataclass(frozen=True)
class FlowSpec:
    """One sequence flow; `condition` is None, an expression, or `else` for the default flow."""

    id: str
    source: str
    target: str
    condition: str | None = None


@dataclass(frozen=True)
class NodeSpec:
    """One line of a model."""

    kind: str
    id: str
    options: Mapping[str, str]
    flows: tuple[FlowSpec, ...] = ()

    def flag(self, name: str) -> bool:
        """Return whether an option without value is set."""
        return name in self.options


@dataclass(frozen=True)
class Model:
    """One process."""

    key: str
    nodes: tuple[NodeSpec, ...]

    @property
    def flows(self) -> tuple[FlowSpec, ...]:
        """All flows, in document order."""
        return tuple(flow for node in self.nodes for flow in node.flows)

    @cached_property
    def incoming(self) -> Mapping[str, tuple[str, ...]]:
        """Node to the ids of the flows that lead to it."""
        found: dict[str, list[str]] = {node.id: [] for node in self.nodes}
        for flow in self.flows:
            found[flow.target].append(flow.id)
        return {node: tuple(flows) for node, flows in found.items()}


def parse_model(text: str, key: str = "p") -> Model:
    """Read a model; a line that is none, or a target that is not there, is a ValueError."""
    used: set[str] = set()
    nodes = tuple(parse_line(line.strip(), used) for line in text.splitlines() if line.strip())
    model = Model(key, nodes)
    names = {node.id for node in nodes}
    missing = [flow.target for flow in model.flows if flow.target not in names]
    if missing or len(names) != len(nodes):
        raise ValueError(f"model {key}: {missing or 'a node stands twice'}")
    return model


def parse_line(line: str, used: set[str], kinds: Container[str] = KINDS) -> NodeSpec:
    """Read one line; `used` are the ids of flows so far, which are added to."""
    match = _LINE.fullmatch(line)
    if match is None or match["kind"] not in kinds:
        raise ValueError(f"not a line of a model: {line!r}")
    options = {name: (value or "").strip('"') for name, value in _OPTION.findall(match["options"] or "")}
    if match["kind"] == "external":
        options.setdefault("topic", match["id"])
    targets = match["targets"] or ""
    found = list(_TARGET.finditer(targets))
    if sum(len(part[0]) for part in found) != len(targets):
        raise ValueError(f"not a list of targets: {targets!r}")
    flows = tuple(_flow(match["id"], part, used) for part in found if part["target"])
    return NodeSpec(match["kind"], match["id"], options, flows)


def _flow(source: str, part: re.Match[str], used: set[str]) -> FlowSpec:
    name = part["flow"] or f"{source}_{part['target']}"
    number = 2
    while name in used:
        name = f"{source}_{part['target']}_{number}"
        number += 1
    used.add(name)
    return FlowSpec(name, source, part["target"], (part["condition"] or "").strip() or None)
