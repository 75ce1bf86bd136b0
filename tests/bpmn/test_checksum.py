from __future__ import annotations

import re

import pytest

from bpm.bpmn import read_file
from tests.bpmn.files import HEAD, LINE, around, definitions, process

TEXT = (
    HEAD
    + process(
        around(
            '<task id="x" name="A b" camunda:asyncBefore="true"><documentation>Two\nlines.</documentation></task>'
        )
    )
    + '<d:BPMNDiagram xmlns:d="http://www.omg.org/spec/BPMN/20100524/DI"><d:BPMNPlane/></d:BPMNDiagram></definitions>'
)


def checksum(text: str, encoding: str = "utf-8") -> str:
    """Return the checksum of a file's content."""
    return read_file(text.encode(encoding)).checksum


SAME = {
    "blank lines": TEXT.replace("><", ">\n\n  <"),
    "windows line ends": TEXT.replace("><", ">\r\n<").replace("\n", "\r\n").replace("\r\r", "\r"),
    "white space around text": TEXT.replace("Two\nlines.", "\n  Two\nlines.\n"),
    "white space between attributes": TEXT.replace(' name="', '\n   name = "'),
    "order of attributes": TEXT.replace('id="x" name="A b"', 'name="A b" id="x"'),
    "quotes": TEXT.replace('id="x"', "id='x'"),
    "comments": TEXT.replace("<endEvent", "<!-- c --><endEvent"),
    "processing instructions": "<?a b?>" + TEXT,
    "declaration": '<?xml version="1.0" encoding="UTF-8"?>\n' + TEXT,
    "prefix": TEXT.replace("camunda:async", "c:async").replace("xmlns:camunda", "xmlns:c"),
    "character data section": TEXT.replace("Two\nlines.", "<![CDATA[Two\nlines.]]>"),
    "empty element": re.sub(r'<endEvent id="e"/>', '<endEvent id="e"></endEvent>', TEXT),
    "references": TEXT.replace("A b", "A&#32;b"),
}
DIFFERENT = {
    "a name": TEXT.replace("A b", "A  b"),
    "an id": TEXT.replace('id="x"', 'id="y"').replace('"s-x"', '"s-y"'),
    "documentation": TEXT.replace("Two\nlines.", "Two\n\nlines."),
    "an attribute": TEXT.replace('camunda:asyncBefore="true"', 'camunda:asyncBefore="false"'),
    "the vendor": TEXT.replace("camunda:async", "zeebe:async"),
    "the diagram": TEXT.replace("<d:BPMNPlane/>", '<d:BPMNPlane id="a"/>'),
    "a root element": TEXT.replace("</definitions>", '<message id="m"/></definitions>'),
    "order of elements": TEXT.replace('<startEvent id="s"/>', "").replace(
        '<endEvent id="e"/>', '<endEvent id="e"/><startEvent id="s"/>'
    ),
    "executable": TEXT.replace('isExecutable="true"', 'isExecutable="false"'),
}


@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
def test_what_does_not_count(text: str) -> None:
    assert text != TEXT
    assert checksum(text) == checksum(TEXT)


@pytest.mark.parametrize("text", DIFFERENT.values(), ids=DIFFERENT)
def test_what_counts(text: str) -> None:
    assert text != TEXT
    assert checksum(text) != checksum(TEXT)


def test_the_encoding_does_not_count() -> None:
    assert checksum(TEXT, "utf-16") == checksum(TEXT, "utf-8-sig") == checksum(TEXT)


def test_every_process_carries_the_checksum_of_the_file() -> None:
    file = read_file(definitions(process(LINE), process(LINE, key="p2", executable=False)))
    assert {model.checksum for model in file.processes} == {file.checksum}
    assert re.fullmatch(r"[0-9a-f]{64}", file.checksum)
