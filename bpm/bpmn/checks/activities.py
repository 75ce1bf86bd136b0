"""Rules of activities: quantities, loops, script languages, operations."""

from __future__ import annotations

import re
from typing import Final

from bpm.bpmn.layout import Layout, NodeXml
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.tags import ACTIVITIES
from bpm.core.xml import CAMUNDA, XmlElement

_LOOPS: Final = ("standardLoopCharacteristics", "multiInstanceLoopCharacteristics")
_MIME_TYPE: Final = re.compile(r"[\w.+-]+/[\w.+-]+(?:\s*;.*)?")
_LANGUAGES: Final = frozenset(
    {
        "juel",
        "el",
        "feel",
        "javascript",
        "ecmascript",
        "js",
        "graal.js",
        "typescript",
        "python",
        "python3",
        "jython",
        "groovy",
        "ruby",
        "jruby",
        "kotlin",
        "scala",
        "clojure",
        "java",
        "php",
        "perl",
        "lua",
        "r",
        "sql",
        "bash",
        "sh",
        "shell",
        "powershell",
        "beanshell",
        "xslt",
        "velocity",
        "freemarker",
    }
)


def check_quantities(layout: Layout, reading: ProcessReading) -> None:
    """`startQuantity` and `completionQuantity` are whole numbers above zero."""
    for node in _activities(layout):
        for attribute in ("startQuantity", "completionQuantity"):
            text = node.xml.get(attribute, "1").strip()
            if not (text.isascii() and text.isdigit() and int(text[:20]) > 0):
                message = f"The {attribute} {text!r} is no whole number above zero."
                reading.problem(node.xml, "quantity", message)


def check_loops(layout: Layout, reading: ProcessReading) -> None:
    """An activity has one kind of loop, and a multi-instance one says how often."""
    for node in _activities(layout):
        loops = [xml for tag in _LOOPS for xml in node.xml.all(tag)]
        if len(loops) > 1:
            reading.problem(node.xml, "loop", "An activity has at most one kind of loop.")
        for loop in loops:
            maximum = loop.get("loopMaximum").strip()
            if maximum and not (maximum.isascii() and maximum.isdigit()):
                message = f"The loopMaximum {maximum!r} is no whole number, zero or more."
                reading.problem(node.xml, "loop", message)
            if loop.tag == "multiInstanceLoopCharacteristics" and not _says_how_often(loop):
                message = "A multi-instance activity needs a loopCardinality or a collection."
                reading.problem(node.xml, "loop", message)
            for behavior in loop.all("complexBehaviorDefinition"):
                if not behavior.child_text("condition"):
                    message = "A complex behaviour definition needs a condition."
                    reading.problem(node.xml, "empty-expression", message)


def check_script_formats(layout: Layout, reading: ProcessReading) -> None:
    """A script format is a MIME type, the name of a language, or that of a registered handler."""
    for node in layout.nodes.values():
        text = node.xml.get("scriptFormat").strip().lower()
        known = text in _LANGUAGES or text in reading.script_formats or _MIME_TYPE.fullmatch(text)
        if node.tag == "scriptTask" and text and not known:
            message = f"The script format {text!r} is neither a MIME type nor a known language."
            reading.problem(node.xml, "script-format", message)


def check_operations(layout: Layout, reading: ProcessReading) -> None:
    """An `operationRef` names an operation."""
    for node in _activities(layout):
        reference = node.xml.get("operationRef").strip()
        found = reading.elements.find(reference) if reference else None
        if found is not None and found.tag != "operation":
            message = f"The operationRef {reference!r} names a {found.tag}, no operation."
            reading.problem(node.xml, "dangling-reference", message)


def _activities(layout: Layout) -> list[NodeXml]:
    return [node for node in layout.nodes.values() if node.tag in ACTIVITIES]


def _says_how_often(loop: XmlElement) -> bool:
    return bool(
        loop.child_text("loopCardinality")
        or loop.child_text("loopDataInputRef")
        or loop.extension("collection")
        or any(loop.extensions("loopCharacteristics", "zeebe"))
        or any(loop.extensions("collection", CAMUNDA))
    )
