"""The models of the tests mean the same as graph and as file, so that both hosts run the same process."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from bpm.bpmn.compile import read_file
from bpm.core.expressions import Expression
from bpm.core.graph import Graph
from tests.support.model import parse_model
from tests.support.model_graph import build_graph
from tests.support.model_xml import write_xml

EVERYTHING = """
    start s -> u
    user u assignee=${kim} candidate_users=a,b title="Do it" priority=3 due_date=2026-01-01 before -> f
    par f -> one:x, two:x, v, w
    external x topic=${t} priority=5 delays=PT1S,PT5S,PT1M after -> j
    service v handler=pay expression="${execution.setVariable('n', 1)}" result=r attempts=7 -> j
    script w script="${n < 3}" result=r -> j
    par j before after -> o
    or o -> a [n > 1], b [=n < 5 and n > 2], c [else]
    timer a duration=PT1S -> m
    timer b date=2026-05-05 -> m
    timer c cycle=R3/PT1S -> m
    or m -> d
    throw d -> k
    manual k -> l
    task l -> y [true], z [else]
    xor y -> e [n > 3], z [else]
    script z format=feel script="n + 1" result=n -> t
    terminate t
    end e
"""


def _plain(value: Any) -> Any:
    if isinstance(value, Expression):
        return (value.text, value.dialect, value.names, value.effects)
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(map(_plain, value))
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)} | {
            "type": type(value)
        }
    return value


def _shape(graph: Graph) -> dict[str, Any]:
    ignored = {"line", "form_key", "initiator", "name", "order"}
    nodes = {
        name: {key: value for key, value in _plain(node).items() if key not in ignored}
        for name, node in graph.nodes.items()
    }
    flows = {name: (flow.source, flow.target, _plain(flow.condition)) for name, flow in graph.flows.items()}
    return {
        "order": list(graph.nodes),
        "nodes": nodes,
        "flows": flows,
        "starts": graph.root.starts,
        "binding": dict(graph.binding_fork),
    }


def _assert_same(text: str) -> None:
    model = parse_model(text)
    (process,) = read_file(write_xml(model)).processes
    assert process.problems == ()
    assert process.graph is not None
    assert _shape(process.graph) == _shape(build_graph(model))


def test_graph_and_file_of_a_model_mean_the_same() -> None:
    _assert_same(EVERYTHING)


def test_without_a_start_event_both_begin_at_the_nodes_without_incoming_flow() -> None:
    _assert_same("user a -> c\n user b -> c\n par c -> d\n task d")


@pytest.mark.parametrize("text", ["starts s -> a", "start s -> a", "start s -> a\n task a\n task a"])
def test_a_text_that_is_no_model_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"model|line|target"):
        parse_model(text)


def test_every_model_of_the_scenarios_without_placeholders_is_a_file() -> None:
    """Whatever a scenario of the core uses can be deployed on an engine, too."""
    found = 0
    for path in sorted((Path(__file__).parents[2] / "semantics").glob("test_*.py")):
        for text in re.findall(r'begin\("""(.*?)"""', path.read_text(), re.DOTALL):
            _assert_same(text.replace("\\\\'", "'"))
            found += 1
    assert found > 40
