"""Whatever the bytes, the answer is a model or `DefinitionInvalid`."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bpm.bpmn import BpmnFile, read_file
from bpm.core.errors import DefinitionInvalid
from tests.bpmn.files import HEAD, LINE, around, definitions, flow, path, process

_GATEWAYS = around(
    '<parallelGateway id="x" default="x-e"/><userTask id="u" camunda:assignee="${a}"/>'
    '<boundaryEvent id="b" attachedToRef="u"><timerEventDefinition><timeCycle>R/PT1S</timeCycle>'
    "</timerEventDefinition></boundaryEvent>" + flow("x", "u", "${b == 1}") + flow("b", "e")
)
_EVERYTHING = around(
    '<subProcess id="x" triggeredByEvent="false">'
    + LINE.replace('"s"', '"s2"').replace('"e"', '"e2"').replace('"f', '"g').replace('"t"', '"t2"')
    + "</subProcess>"
    '<serviceTask id="v" camunda:type="external" camunda:topic="t"><multiInstanceLoopCharacteristics/></serviceTask>'
    '<intermediateThrowEvent id="l"><linkEventDefinition name="n"/></intermediateThrowEvent>'
    '<laneSet id="ls"><lane id="la" name="A"><flowNodeRef>v</flowNodeRef></lane></laneSet>'
    '<dataObject id="do"/><textAnnotation id="ta"><text>hi</text></textAnnotation>'
    '<association id="as" sourceRef="ta" targetRef="v"/>' + path("v", "l")
)
_VALID = tuple(definitions(process(body)) for body in (LINE, _GATEWAYS, _EVERYTHING))
_WORDS = st.sampled_from(
    [
        *(
            b"<startEvent",
            b"<task",
            b"<boundaryEvent",
            b"<subProcess id='q'>",
            b"</subProcess>",
            b"</process>",
            b"/>",
        ),
        *(
            b'id="s"',
            b'id=""',
            b'sourceRef="e"',
            b'attachedToRef="x"',
            b'default="f1"',
            b'"',
            b"<",
            b">",
            b"&x;",
        ),
        *(
            b"${",
            b"}",
            b"=",
            b"&#0;",
            b"\xff",
            b"\x00",
            b"<!DOCTYPE a>",
            b"<![CDATA[",
            b"]]>",
            b"<!--",
            b"true",
        ),
        *(
            b'isExecutable="true"',
            b'triggeredByEvent="true"',
            b'language="feel"',
            b"R3/PT10S",
            b"<process id='p'>",
        ),
    ]
)
_INSERTED = _WORDS | st.binary(max_size=6)


def _read(data: bytes) -> BpmnFile | DefinitionInvalid:
    try:
        return read_file(data, force_executable=True)
    except DefinitionInvalid as invalid:
        return invalid


def _check(data: bytes) -> None:
    answer = _read(data)
    if isinstance(answer, DefinitionInvalid):
        assert answer.problems
    else:
        for model in answer.processes:
            assert (model.graph is None) == bool(model.problems)


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    _check(data)


@given(st.text(max_size=200))
def test_any_text_inside_a_process(text: str) -> None:
    _check(
        HEAD.encode() + b"<process id='p'>" + text.encode("utf-8", "replace") + b"</process></definitions>"
    )


@given(
    st.sampled_from(_VALID), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), _INSERTED), max_size=5)
)
def test_mutated_valid_files(data: bytes, changes: list[tuple[float, int, bytes]]) -> None:
    for where, length, inserted in changes:
        begin = int(where * len(data))
        data = data[:begin] + inserted + data[begin + length :]
    _check(data)


_IDS = st.sampled_from(["a", "b", "c", "d", "e", "", "p", "q:a"])
_TAGS = st.sampled_from(
    [
        *(
            "startEvent",
            "endEvent",
            "task",
            "userTask",
            "serviceTask",
            "scriptTask",
            "receiveTask",
            "callActivity",
        ),
        *("exclusiveGateway", "parallelGateway", "inclusiveGateway", "complexGateway", "eventBasedGateway"),
        *("intermediateThrowEvent", "intermediateCatchEvent", "boundaryEvent", "subProcess", "transaction"),
        *(
            "adHocSubProcess",
            "sequenceFlow",
            "association",
            "textAnnotation",
            "choreographyTask",
            "unheardOf",
        ),
    ]
)
_CHILDREN = st.sampled_from(
    [
        *("", "<timerEventDefinition/>", '<linkEventDefinition name="l"/>', "<compensateEventDefinition/>"),
        *(
            "<messageEventDefinition/>",
            "<cancelEventDefinition/>",
            "<eventDefinitionRef>a</eventDefinitionRef>",
        ),
        *("<multiInstanceLoopCharacteristics/>", "<incoming>z</incoming>", "<script>${x}</script>"),
        *(
            "<conditionExpression>${a &lt; 1}</conditionExpression>",
            '<conditionExpression language="feel">1</conditionExpression>',
        ),
        '<dataInputAssociation id="a"/>',
    ]
)
_ELEMENTS = st.builds(
    lambda tag, name, source, target, child: (
        f'<{tag} id="{name}" sourceRef="{source}" targetRef="{target}" attachedToRef="{source}" default="{target}"'
        f' triggeredByEvent="{str(bool(source)).lower()}">{child}</{tag}>'
    ),
    *(_TAGS, _IDS, _IDS, _IDS, _CHILDREN),
)


@given(st.lists(_ELEMENTS, max_size=12))
def test_any_elements_wired_any_way(elements: list[str]) -> None:
    _check(definitions(process("".join(elements))))
