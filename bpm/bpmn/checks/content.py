"""What stands inside flow nodes and changes how they run, but is not supported: refused, never ignored."""

from __future__ import annotations

from typing import Final

from bpm.bpmn.layout import Layout, NodeXml
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.tags import ARTIFACTS, CHOREOGRAPHY, FLOW_NODES, PASSIVE, is_event_definition
from bpm.core.elements.registry import ELEMENTS
from bpm.core.xml import BPMN, XmlElement

_KNOWN: Final = PASSIVE | frozenset(
    {
        "incoming",
        "outgoing",
        "script",
        "eventDefinitionRef",
        "activationCondition",
        "dataInput",
        "dataOutput",
        "dataInputAssociation",
        "dataOutputAssociation",
        "inputSet",
        "outputSet",
        "rendering",
        "multiInstanceLoopCharacteristics",
        "standardLoopCharacteristics",
    }
)
_CONTENT_OF_SCOPES: Final = FLOW_NODES | ARTIFACTS | CHOREOGRAPHY | {"sequenceFlow", "completionCondition"}


def check_content(layout: Layout, reading: ProcessReading) -> None:
    """Every child of a flow node is one the engine acts on, or has no effect."""
    for node in layout.nodes.values():
        for child in node.xml.children:
            if child.space == BPMN:
                _check_child(node, child, reading)


_OF_LOOPS: Final = frozenset(
    {
        "documentation",
        "extensionElements",
        "loopCondition",
        "loopCardinality",
        "loopDataInputRef",
        "inputDataItem",
        "loopDataOutputRef",
        "outputDataItem",
        "completionCondition",
        "complexBehaviorDefinition",
    }
)


def check_loop_content(layout: Layout, reading: ProcessReading) -> None:
    """Every child of a loop is one the engine acts on: results are gathered by `zeebe:loopCharacteristics` only."""
    for node in layout.nodes.values():
        for loop in (child for child in node.xml.children if child.tag.endswith("LoopCharacteristics")):
            for child in loop.children:
                if child.space == BPMN and child.tag not in _OF_LOOPS:
                    message = f"The element {child.tag} in {loop.tag} is not supported."
                    reading.problem(child, "unsupported-element", message)


def _check_child(node: NodeXml, child: XmlElement, reading: ProcessReading) -> None:
    if child.tag in _KNOWN or is_event_definition(child):
        return
    if node.id in reading.scope_names and child.tag in _CONTENT_OF_SCOPES:
        return
    if node.tag in ELEMENTS or child.tag.endswith("LoopCharacteristics"):
        message = f"The element {child.tag} in {node.tag} is not supported."
        reading.problem(child, "unsupported-element", message)
