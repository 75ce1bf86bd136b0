"""Vendor extensions: acted on, without effect, or refused (semantics §9)."""

from __future__ import annotations

from typing import Final

from bpm.bpmn.file_index import walk
from bpm.bpmn.layout import Layout
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.tags import ACTIVITIES, EVENTS, FLOW_NODES, SUBPROCESSES, is_event_definition
from bpm.bpmn.working_events import as_send_task
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
            "errorEventDefinition",
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
        "inheritVariables",
        "inheritBusinessKey",
        "sameDeployment",
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
        "variableMappingClass",
        "variableMappingDelegateExpression",
        "useLocalScopeForResultVariable",
        "storeResultVariableAsTransient",
    }
)
_OWN_PLACES: Final = {
    "saga": frozenset({"process", *SUBPROCESSES}),
    "catchUp": frozenset({"timerEventDefinition", "timeCycle"}),
    "leaseLimit": frozenset({"process", "serviceTask", "sendTask", "businessRuleTask"}),
}
"""The engine's own attributes, with the elements at which they mean something."""
_WORK: Final = frozenset({"serviceTask", "sendTask", "businessRuleTask"})
_PLACES: Final = {
    (CAMUNDA, "inputOutput"): ACTIVITIES | EVENTS,
    (CAMUNDA, "errorEventDefinition"): _WORK,
    (CAMUNDA, "in"): frozenset({"callActivity"}),
    (CAMUNDA, "out"): frozenset({"callActivity"}),
    (ZEEBE, "ioMapping"): ACTIVITIES | EVENTS,
    (ZEEBE, "taskDefinition"): _WORK | {"intermediateThrowEvent", "endEvent"},
    (ZEEBE, "script"): frozenset({"scriptTask"}),
    (ZEEBE, "calledElement"): frozenset({"callActivity"}),
    (ZEEBE, "loopCharacteristics"): frozenset({"multiInstanceLoopCharacteristics"}),
}
"""Extension elements that are acted on in some places only: elsewhere they would be passed over."""


def check_vendor_elements(layout: Layout, reading: ProcessReading) -> None:
    """Extension elements of the known vendors that would change how a process runs are not passed over."""
    for owner in walk(layout.xml):
        for xml in (child for holder in owner.all("extensionElements") for child in holder.children):
            unknown = xml.space in _ELEMENTS and xml.tag not in _ELEMENTS[xml.space]
            passed_over = (xml.space, xml.tag) == (ZEEBE, "taskDefinition") and not _works(owner, reading)
            if unknown or passed_over or owner.tag not in _PLACES.get((xml.space, xml.tag), {owner.tag}):
                message = f"The extension {xml.tag} ({xml.space}) is not supported at the {owner.tag}."
                reading.problem(xml, "unsupported-element", message)


def _works(owner: XmlElement, reading: ProcessReading) -> bool:
    return owner.tag in _WORK or as_send_task(owner, reading.elements) is not owner


def check_vendor_attributes(layout: Layout, reading: ProcessReading) -> None:
    """Extension attributes likewise, wherever they stand; those unknown are ignored with a warning."""
    for xml in walk(layout.xml):
        if xml.tag not in FLOW_NODES or xml.tag in ELEMENTS:
            _check_attributes(xml, reading)


def _is_read(xml: XmlElement, name: str) -> bool:
    """Return whether the engine acts on an attribute, or may pass over it in silence."""
    if is_event_definition(xml) and name.startswith("async"):
        return False
    return name in _SUPPORTED or name in _WITHOUT_EFFECT


def _check_attributes(xml: XmlElement, reading: ProcessReading) -> None:
    for space, name in xml.vendor:
        if space == OWN and xml.tag in _OWN_PLACES.get(name, ()):
            continue
        if space == OWN or (space == CAMUNDA and name in _REFUSED):
            message = f"The attribute {name} ({space}) is not supported."
            reading.problem(xml, "unsupported-attribute", message)
        elif space == CAMUNDA and not _is_read(xml, name):
            reading.warning(xml, "ignored-attribute", f"The attribute {name} has no effect.")
