"""Places for the shapes and edges of files that draw nothing."""

from __future__ import annotations

from importlib.resources import files
from itertools import combinations, pairwise
from typing import Any

import pytest
from lxml import etree

from bpm.bpmn.drawing import drawn_copy
from bpm.bpmn.drawing.rows import separate
from bpm.bpmn.namespaces import DIAGRAM, MODEL
from tests.support.bpmn_text import bpmn, flows, one_task, subprocess

_DC = "{http://www.omg.org/spec/DD/20100524/DC}"
_DI = "{http://www.omg.org/spec/DD/20100524/DI}"
Box = tuple[float, ...]


def drawing(content: bytes, key: str = "p") -> tuple[dict[str, Box], dict[str, list[tuple[float, float]]]]:
    root: Any = etree.fromstring(drawn_copy(content, key))
    boxes = {}
    for shape in root.iter(f"{{{DIAGRAM}}}BPMNShape"):
        bounds = shape.find(f"{_DC}Bounds")
        boxes[shape.get("bpmnElement")] = tuple(
            float(bounds.get(name)) for name in ("x", "y", "width", "height")
        )
    edges = {
        edge.get("bpmnElement"): [
            (float(one.get("x")), float(one.get("y"))) for one in edge.findall(f"{_DI}waypoint")
        ]
        for edge in root.iter(f"{{{DIAGRAM}}}BPMNEdge")
    }
    return boxes, edges


def overlap(one: Box, other: Box) -> bool:
    (x, y, w, h), (x2, y2, w2, h2) = one, other
    return x < x2 + w2 and x2 < x + w and y < y2 + h2 and y2 < y + h


FORK = bpmn(
    '<startEvent id="s"/><parallelGateway id="f"/><task id="a"/><task id="b"/><task id="c"/>'
    '<parallelGateway id="j"/><endEvent id="e"/>',
    flows("s f", "f a", "f b", "f c", "a j", "b j", "c j", "j e"),
)


def test_nodes_stand_apart_and_flow_to_the_right() -> None:
    boxes, edges = drawing(FORK)
    assert not any(overlap(*pair) for pair in combinations(boxes.values(), 2))
    assert [boxes[name][0] for name in "sfaje"] == sorted(boxes[name][0] for name in "sfaje")
    assert boxes["a"][0] == boxes["b"][0] == boxes["c"][0]
    for points in edges.values():
        assert all(x == x2 or y == y2 for (x, y), (x2, y2) in pairwise(points))


def test_an_edge_begins_and_ends_at_the_borders_of_its_nodes() -> None:
    boxes, edges = drawing(FORK)
    for name, points in edges.items():
        source, target = name.split("_")
        (x, y, w, h), (x2, y2, _, h2) = boxes[source], boxes[target]
        assert points[0][0] == x + w
        assert y <= points[0][1] <= y + h
        assert points[-1][0] == x2
        assert y2 <= points[-1][1] <= y2 + h2


def test_loops_and_self_loops_are_drawn() -> None:
    content = bpmn('<startEvent id="s"/><task id="a"/><task id="b"/>', flows("s a", "a b", "b a", "b b"))
    _, edges = drawing(content)
    assert set(edges) == {"s_a", "a_b", "b_a", "b_b"}
    assert all(len(points) >= 4 for points in (edges["b_a"], edges["b_b"]))


def test_a_subprocess_holds_its_inside_and_boundary_events_its_border() -> None:
    content = bpmn(
        '<startEvent id="s"/>',
        subprocess("sub", one_task("t")),
        '<boundaryEvent id="late" attachedToRef="sub"/><task id="next"/><endEvent id="e"/>',
        flows("s sub", "sub e", "late next"),
    )
    boxes, edges = drawing(content)
    x, y, w, h = boxes["sub"]
    for name in ("t_start", "t", "t_end"):
        x2, y2, w2, h2 = boxes[name]
        assert x < x2
        assert y < y2
        assert x2 + w2 < x + w
        assert y2 + h2 < y + h
    assert boxes["late"][1] < y + h < boxes["late"][1] + boxes["late"][3]
    assert not overlap(boxes["next"], boxes["sub"])
    assert {"t_start_t", "t_t_end", "late_next"} <= set(edges)


def test_lanes_and_pools_hold_their_nodes() -> None:
    lanes = "".join(
        f'<lane id="lane-{name}"><flowNodeRef>{name}</flowNodeRef></lane>' for name in ("s", "a", "e")
    )
    process = (
        f'<process id="p"><laneSet>{lanes}</laneSet><startEvent id="s"/><task id="a"/><endEvent id="e"/>'
    )
    pools = '<participant id="one" processRef="p"/><participant id="other"/>'
    messages = '<messageFlow id="m" sourceRef="a" targetRef="other"/>'
    content = (
        f'<definitions xmlns="{MODEL}"><collaboration id="c">{pools}{messages}</collaboration>'
        f"{process}{flows('s a', 'a e')}</process></definitions>"
    ).encode()
    boxes, edges = drawing(content)
    for name in ("s", "a", "e"):
        (_, y, _, h), (_, y2, _, h2) = boxes[f"lane-{name}"], boxes[name]
        assert y < y2
        assert y2 + h2 < y + h
    assert boxes["one"][1] + boxes["one"][3] <= boxes["other"][1]
    assert edges["m"][0][1] < edges["m"][-1][1]


def test_a_file_that_draws_the_process_stays_as_it_is() -> None:
    once = drawn_copy(FORK, "p")
    assert drawn_copy(once, "p") is once


def test_the_diagram_of_the_process_comes_first() -> None:
    two = FORK.replace(b"</definitions>", b'<process id="q"><task id="z"/></process></definitions>')
    drawn: Any = etree.fromstring(drawn_copy(two, "q"))
    both: Any = etree.fromstring(drawn_copy(two, "p"))
    both.append(drawn.find(f"{{{DIAGRAM}}}BPMNDiagram"))
    again: Any = etree.fromstring(drawn_copy(etree.tostring(both), "q"))
    shown = [
        shape.get("bpmnElement")
        for shape in again.find(f"{{{DIAGRAM}}}BPMNDiagram").iter(f"{{{DIAGRAM}}}BPMNShape")
    ]
    assert shown == ["z"]


@pytest.mark.parametrize("name", ["minimal", "order-process", "payment-flow"])
def test_the_examples_are_laid_out_whole(name: str) -> None:
    content = (files("bpm") / "examples" / f"{name}.bpmn").read_bytes()
    root: Any = etree.fromstring(content)
    process = root.find(f"{{{MODEL}}}process")
    boxes, edges = drawing(content, process.get("id"))
    wanted = {child.get("id") for child in process}
    assert wanted <= {*boxes, *edges}


def test_places_are_the_nearest_that_keep_order_and_distance() -> None:
    assert separate([0.0, 500.0], [80.0, 80.0]) == [0.0, 500.0]
    first, second = separate([100.0, 100.0], [80.0, 80.0])
    assert (first + second) / 2 == 100.0
    assert second - first == 80.0 + 34.0
    assert separate([], []) == []
