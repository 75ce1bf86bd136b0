from __future__ import annotations

import time

from bpm.bpmn import read_file
from tests.bpmn.files import HEAD, flow, path, process

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


def test_a_thousand_nodes_compile_in_less_than_300_ms_of_processor_time() -> None:
    data = thousand_nodes()
    took: list[float] = []
    for _ in range(5):
        begin = time.process_time()
        (model,) = read_file(data).processes
        took.append(time.process_time() - begin)
        assert model.problems == ()
        assert model.graph is not None
        assert len(model.graph.nodes) == 8 * BLOCKS + 2
    assert min(took) < 0.3
