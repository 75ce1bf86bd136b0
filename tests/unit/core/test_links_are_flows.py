"""A link is a flow: a model in which every other flow is a link goes as the one with plain flows (semantics §7)."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpm.core.context import Limits
from bpm.core.errors import Refused
from bpm.core.ids import Id
from tests.support.core_host import CoreHost
from tests.support.model import FlowSpec, Model, NodeSpec
from tests.support.model_xml import write_xml
from tests.support.random_commands import useful_commands
from tests.support.random_models import structured_models, unstructured_models

# Most of a minute on an idle machine.
pytestmark = pytest.mark.timeout(600)
MOVES = st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 10_000)), min_size=1, max_size=20)
LINKED = re.compile(r'<intermediateThrowEvent id="(?:throw|catch)_(\w+)"/>')


def cut(model: Model) -> Model:
    """Put two empty events on every other flow."""
    nodes: list[NodeSpec] = []
    extra: list[NodeSpec] = []
    for node in model.nodes:
        flows = []
        for number, flow in enumerate(node.flows):
            if number % 2:
                flows.append(flow)
                continue
            throw, catch = f"throw_{flow.id}", f"catch_{flow.id}"
            flows.append(replace(flow, target=throw))
            extra.append(NodeSpec("throw", throw, {}, (FlowSpec(f"gap_{flow.id}", throw, catch),)))
            extra.append(NodeSpec("throw", catch, {}, (FlowSpec(f"on_{flow.id}", catch, flow.target),)))
        nodes.append(replace(node, flows=tuple(flows)))
    return Model(model.key, (*nodes, *extra))


def link(xml: str) -> bytes:
    """Make each such pair of events a link."""

    def event(match: re.Match[str]) -> str:
        tag = "intermediateThrowEvent" if 'id="throw_' in match[0] else "intermediateCatchEvent"
        name = match[0].split('"')[1]
        return f'<{tag} id="{name}"><linkEventDefinition name="{match[1]}"/></{tag}>'

    return re.sub(r'<sequenceFlow id="gap_[^>]*/>', "", LINKED.sub(event, xml)).encode()


class Side:
    """One of the two engines."""

    def __init__(self, source: bytes, variables: dict[str, int]) -> None:
        self.host = CoreHost(limits=Limits(steps=60, passes=80))
        self.host.handlers["service", "h"] = self.host.handlers["script", "py"] = lambda work: None
        self.host.deploy(source)
        self.instance: Id = self.host.start("p", variables)

    def move(self, choice: int, number: int) -> None:
        """Do one of the things that can be done."""
        commands = useful_commands(self.host.state(self.instance), number)
        if commands:
            try:
                self.host.execute(self.instance, commands[choice % len(commands)])
            except Refused:
                return

    def seen(self) -> list[tuple[str, str]]:
        """Return where the live tokens stand."""
        tokens = self.host.state(self.instance).tokens.values()
        return sorted((token.node, token.status.value) for token in tokens if not token.final)


def _compare(model: Model, moves: list[tuple[int, int]]) -> None:
    plain = write_xml(cut(model))
    variables = {"x": moves[0][0] % 4, "y": moves[0][1] % 3}
    sides = [Side(plain, variables), Side(link(plain.decode()), variables)]
    assert sides[0].seen() == sides[1].seen()
    for choice, number in moves:
        for side in sides:
            side.move(choice, number)
        assert sides[0].seen() == sides[1].seen()


@given(structured_models(), MOVES)
def test_nested_blocks_go_the_same_way(model: Model, moves: list[tuple[int, int]]) -> None:
    _compare(model, moves)


@given(unstructured_models(kinds=("par", "or", "or", "xor", "user", "task")), MOVES)
def test_any_graph_goes_the_same_way(model: Model, moves: list[tuple[int, int]]) -> None:
    _compare(model, moves)
