"""Vendor extensions: acted on, without effect, or refused (semantics §9)."""

from __future__ import annotations

from typing import Final

from bpm.bpmn.file_index import walk
from bpm.bpmn.layout import Layout
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.tags import SUBPROCESSES
from bpm.core.elements.registry import ELEMENTS
from bpm.core.xml import CAMUNDA, OWN, ZEEBE, XmlElement

_ELEMENTS: Final = {
    CAMUNDA: frozenset(
        {
            "failedJobRetryTimeCycle",
            "properties",
            "formData",
            "formProperty",
            "inputOutput",
            "executionListener",
            "taskListener",
            "in",
            "out",
        }
    ),
    ZEEBE: frozenset(
        {
            "taskDefinition",
            "assignmentDefinition",
            "taskSchedule",
            "formDefinition",
            "priorityDefinition",
            "script",
            "versionTag",
            "properties",
            "userTask",
            "userTaskForm",
            "ioMapping",
            "loopCharacteristics",
            "subscription",
            "calledElement",
        }
    ),
    OWN: frozenset[str](),
}
"""What may stand in `extensionElements`: the engine acts on it, or it has no effect on how a process runs."""

_SUPPORTED: Final = frozenset(
    {
        "asyncBefore",
        "asyncAfter",
        "async",
        "asyncLeave",
        "exclusive",
        "initiator",
        "formKey",
        "assignee",
        "candidateUsers",
        "candidateGroups",
        "dueDate",
        "followUpDate",
        "priority",
        "class",
        "delegateExpression",
        "expression",
        "resultVariable",
        "resultVariableName",
        "type",
        "topic",
        "taskPriority",
        "versionTag",
        "collection",
        "elementVariable",
        "variableName",
        "variableEvents",
        "errorCodeVariable",
        "errorMessageVariable",
        "errorMessage",
        "escalationCodeVariable",
        "candidateStarterUsers",
        "candidateStarterGroups",
        "calledElementBinding",
        "calledElementVersion",
        "calledElementVersionTag",
    }
)
_WITHOUT_EFFECT: Final = frozenset(
    {
        "historyTimeToLive",
        "isStartableInTasklist",
        "modelerTemplate",
        "modelerTemplateVersion",
        "modelerTemplateIcon",
        "diagramRelationId",
        "category",
        "formRef",
        "formRefBinding",
        "formRefVersion",
    }
)
_LISTENERS: Final = {
    "executionListener": frozenset({"start", "end", "take"}),
    "taskListener": frozenset({"create", "assignment", "complete"}),
}
_REFUSED: Final = frozenset(
    {
        "skipExpression",
        "triggerable",
        "resource",
        "businessCalendarName",
        "decisionRef",
        "caseRef",
        "calledElementTenantId",
        "calledElementType",
        "inheritVariables",
        "inheritBusinessKey",
        "sameDeployment",
        "variableMappingClass",
        "variableMappingDelegateExpression",
    }
)
_OWN_PLACES: Final = {"saga": frozenset({"process", *SUBPROCESSES})}
"""The engine's own attributes, with the elements at which they mean something."""
_CALLS_ONLY: Final = frozenset({"in", "out"})
"""Extension elements that mean something at a call activity only."""
_NOT_AT_EVENTS: Final = frozenset({"inputOutput", "ioMapping"})
"""Extension elements that only activities act on."""


def check_vendor_elements(layout: Layout, reading: ProcessReading) -> None:
    """Extension elements of the known vendors that would change how a process runs are not passed over."""
    calls = (node.xml for node in layout.nodes.values() if node.tag == "callActivity")
    at_calls = {id(holder) for call in calls for holder in call.all("extensionElements")}
    others = (node.xml for node in layout.nodes.values() if node.tag.endswith(("Event", "Gateway")))
    at_events = {id(holder) for other in others for holder in other.all("extensionElements")}
    for holder in walk(layout.xml):
        if holder.tag != "extensionElements":
            continue
        for xml in holder.children:
            misplaced = xml.tag in _CALLS_ONLY and id(holder) not in at_calls
            misplaced |= xml.tag in _NOT_AT_EVENTS and id(holder) in at_events
            if xml.space in _ELEMENTS and (misplaced or xml.tag not in _ELEMENTS[xml.space]):
                message = f"The extension {xml.tag} ({xml.space}) is not supported."
                reading.problem(xml, "unsupported-element", message)
            elif xml.space == CAMUNDA and xml.tag in _LISTENERS:
                _check_listener(xml, reading)


def _check_listener(xml: XmlElement, reading: ProcessReading) -> None:
    """A listener is an expression at an event that the engine knows: Java classes cannot be run here."""
    event = xml.get("event")
    if not xml.get("expression"):
        message = "A listener needs an expression: classes, delegates and scripts are not supported."
        reading.problem(xml, "listener", message)
    elif event not in _LISTENERS[xml.tag]:
        message = f"A listener for the event {event!r} is not supported."
        reading.problem(xml, "unsupported-element", message)


def check_vendor_attributes(layout: Layout, reading: ProcessReading) -> None:
    """Extension attributes likewise; those unknown are ignored with a warning."""
    _check_attributes(layout.xml, reading)
    for node in layout.nodes.values():
        if node.tag in ELEMENTS:
            _check_attributes(node.xml, reading)
    for flow in layout.flows.values():
        _check_attributes(flow.xml, reading)


def _check_attributes(xml: XmlElement, reading: ProcessReading) -> None:
    for space, name in xml.vendor:
        if space == OWN and xml.tag in _OWN_PLACES.get(name, ()):
            continue
        if space == OWN or (space == CAMUNDA and name in _REFUSED):
            message = f"The attribute {name} ({space}) is not supported."
            reading.problem(xml, "unsupported-attribute", message)
        elif space == CAMUNDA and name not in _SUPPORTED and name not in _WITHOUT_EFFECT:
            reading.warning(xml, "ignored-attribute", f"The attribute {name} has no effect.")
