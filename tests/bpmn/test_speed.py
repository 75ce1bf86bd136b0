from __future__ import annotations

import pytest

from bpm.bpmn import read_file
from bpm.bpmn.limits import Limits
from tests.bpmn.files import HEAD, around, definitions, flow, found, path, process
from tests.support.processor_time import processor_time

BLOCKS = 125
_DI = "http://www.omg.org/spec/BPMN/20100524/DI"


def thousand_nodes() -> bytes:
    """Return a file of 125 blocks of eight nodes: fork, three branches, join, choice, merge, user task; drawn."""
    parts, last = ['<startEvent id="s"/>'], "s"
    for number in range(BLOCKS):
        fork, a, b, c, join, choice, merge, user = names = [f"{kind}{number}" for kind in "fabcjxmu"]
        parts += [
            f'<parallelGateway id="{fork}"/><parallelGateway id="{join}"/>',
            f'<exclusiveGateway id="{choice}" default="d{number}"/>',
        ]
        parts += [
            f'<exclusiveGateway id="{merge}"/>',
            f'<userTask id="{user}" name="Look at {number}" camunda:assignee="${{boss}}"/>',
        ]
        parts += [
            f'<serviceTask id="{name}" camunda:type="external" camunda:topic="work"/>' for name in (a, b, c)
        ]
        parts += [path(last, fork, a, join, choice), path(fork, b, join), path(fork, c, join)]
        parts += [
            flow(choice, merge, "${amount &gt; 1000}"),
            flow(choice, user, name=f"d{number}"),
            path(user, merge),
        ]
        assert len(names) == 8
        last = merge
    parts += ['<endEvent id="e"/>', path(last, "e")]
    body = "".join(parts)
    shapes = "".join(
        f'<d:BPMNShape bpmnElement="n{n}"><d:Bounds x="1" y="1"/></d:BPMNShape>' for n in range(1_000)
    )
    edges = "".join(
        f'<d:BPMNEdge bpmnElement="n{n}"><d:w x="1"/><d:w x="2"/></d:BPMNEdge>' for n in range(1_300)
    )
    drawing = f'<d:BPMNDiagram xmlns:d="{_DI}"><d:BPMNPlane>{shapes}{edges}</d:BPMNPlane></d:BPMNDiagram>'
    return (HEAD + process(body) + drawing + "</definitions>").encode()


def gateways(count: int) -> list[str]:
    """Return the inside of a process with so many inclusive gateways in a row."""
    names = [f"g{number}" for number in range(count)]
    nodes = "".join(f'<inclusiveGateway id="{name}"/>' for name in names)
    return ['<startEvent id="s"/><endEvent id="e"/>', nodes, path("s", *names, "e")]


def up_and_down(count: int) -> str:
    """Return gateways that lead forth and back, entered at both ends: the dominators are hard to find."""
    back = (flow(f"g{number + 1}", f"g{number}", name=f"b{number}") for number in range(count - 1))
    return "".join([*gateways(count), *back, flow("g0", f"g{count - 1}", name="z")])


def crossed(count: int) -> str:
    """Return gateways that lead to the next one and to the one opposite."""
    across = (flow(f"g{number}", f"g{count - 1 - number}", name=f"x{number}") for number in range(count))
    return "".join([*gateways(count), *across])


def bounded(count: int) -> str:
    """Return tasks in a row, each with a boundary event of compensation and its handler."""
    parts = ['<startEvent id="s"/>', path("s", *(f"t{number}" for number in range(count)))]
    for number in range(count):
        parts.append(
            f'<task id="t{number}"/><task id="h{number}" isForCompensation="true"/>'
            f'<boundaryEvent id="b{number}" attachedToRef="t{number}"><compensateEventDefinition/></boundaryEvent>'
            f'<association id="a{number}" sourceRef="b{number}" targetRef="h{number}"/>'
        )
    return "".join(parts)


def linked(count: int) -> str:
    """Return pairs of links, the throws all beginning at one task."""
    parts = ['<startEvent id="s"/><task id="t"/>', path("s", "t")]
    for number in range(count):
        link = f'<linkEventDefinition name="n{number}"/>'
        parts.append(
            f'<intermediateThrowEvent id="x{number}">{link}</intermediateThrowEvent>'
            f'<intermediateCatchEvent id="y{number}">{link}</intermediateCatchEvent>'
            + flow("t", f"x{number}")
        )
    return "".join(parts)


@pytest.mark.parametrize(
    "body",
    ["".join(gateways(5_000)), up_and_down(5_000), crossed(5_000), bounded(1_500), linked(2_500)],
    ids=["row", "up and down", "crossed", "bounded", "linked"],
)
def test_large_processes_compile_in_less_than_two_seconds_however_they_are_wired(body: str) -> None:
    data = definitions(process(body))
    with processor_time() as spent:
        (model,) = read_file(data).processes
    assert spent.seconds < 2
    assert model.problems == ()


def test_a_process_with_too_many_flow_nodes_is_refused_before_anything_is_computed() -> None:
    data = definitions(process(around('<subProcess id="x"><startEvent id="a"/></subProcess>')))
    assert read_file(data, limits=Limits(flow_nodes=4)).problems == ()
    file = read_file(data, limits=Limits(flow_nodes=3))
    assert found(file.problems) == {("p", "too-large")}
    assert "4 flow nodes, more than the 3 allowed" in file.problems[0].message
    assert file.processes[0].graph is None


def test_a_thousand_nodes_compile_in_less_than_300_ms_of_processor_time() -> None:
    data = thousand_nodes()
    took: list[float] = []
    for _ in range(5):
        with processor_time() as spent:
            (model,) = read_file(data).processes
        took.append(spent.seconds)
        assert model.problems == ()
        assert model.graph is not None
        assert len(model.graph.nodes) == 8 * BLOCKS + 2
    assert min(took) < 0.3
