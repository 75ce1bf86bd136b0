"""How values are written: what is no value of its type would be taken for another one without a word.

Only a file that is being deployed is asked: what was deployed by an earlier release stays executable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bpm.bpmn.layout import Layout
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.tags import is_boolean
from bpm.core.xml import CAMUNDA, XmlElement

_FLAGS: Final = (
    "isExecutable",
    "triggeredByEvent",
    "isForCompensation",
    "isSequential",
    "testBefore",
    "instantiate",
    "parallelMultiple",
    "isInterrupting",
    "cancelActivity",
)
_VENDOR_FLAGS: Final = ("asyncBefore", "asyncAfter", "async", "asyncLeave")
_LOOPS: Final = ("standardLoopCharacteristics", "multiInstanceLoopCharacteristics")
_NAME: Final = re.compile(r"[^\W\d][\w.\-\u00b7]*")


def check_flags(layout: Layout, reading: ProcessReading) -> None:
    """An attribute that is true or false says which."""
    for xml in (layout.xml, *(node.xml for node in layout.nodes.values())):
        for element in (xml, *(loop for tag in _LOOPS for loop in xml.all(tag))):
            for name, text in _flags(element):
                if not is_boolean(text):
                    message = f"The {name} {text!r} is neither true nor false."
                    reading.problem(element, "boolean", message)


def _flags(xml: XmlElement) -> Iterator[tuple[str, str]]:
    for name in _FLAGS:
        if name in xml.attributes:
            yield name, xml.attributes[name]
    for name in _VENDOR_FLAGS:
        text = xml.extension(name, CAMUNDA)
        if text is not None:
            yield name, text


def check_process_name(layout: Layout, reading: ProcessReading) -> None:
    """The id of a process is an XML name without colon: URLs and call activities name it. Other ids may be odd."""
    xml = layout.xml
    if xml.id and not _NAME.fullmatch(xml.id):
        message = f"The id {xml.id!r} is no name: letters, digits and . - _ only, no digit first."
        reading.problem(xml, "id-name", message)
