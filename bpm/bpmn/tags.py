"""The element names of BPMN, in the groups in which the reader asks for them."""

from __future__ import annotations

from typing import Final

from bpm.core.xml import BPMN, XmlElement

TASKS: Final = frozenset(
    {
        "task",
        "userTask",
        "manualTask",
        "serviceTask",
        "scriptTask",
        "sendTask",
        "receiveTask",
        "businessRuleTask",
    }
)
SUBPROCESSES: Final = frozenset({"subProcess", "transaction", "adHocSubProcess"})
ACTIVITIES: Final = TASKS | SUBPROCESSES | {"callActivity"}
GATEWAYS: Final = frozenset(
    {"exclusiveGateway", "parallelGateway", "inclusiveGateway", "complexGateway", "eventBasedGateway"}
)
CATCH_EVENTS: Final = frozenset({"startEvent", "intermediateCatchEvent", "boundaryEvent"})
THROW_EVENTS: Final = frozenset({"intermediateThrowEvent", "endEvent", "implicitThrowEvent"})
EVENTS: Final = CATCH_EVENTS | THROW_EVENTS
CHOREOGRAPHY: Final = frozenset({"choreographyTask", "subChoreography", "callChoreography"})
FLOW_NODES: Final = ACTIVITIES | GATEWAYS | EVENTS

ARTIFACTS: Final = frozenset({"association", "group", "textAnnotation"})
PASSIVE: Final = ARTIFACTS | frozenset(
    {
        "documentation",
        "extensionElements",
        "auditing",
        "categoryValueRef",
        "monitoring",
        "property",
        "laneSet",
        "dataObject",
        "dataObjectReference",
        "dataStoreReference",
        "ioSpecification",
        "ioBinding",
        "supportedInterfaceRef",
        "supports",
        "resourceRole",
        "performer",
        "humanPerformer",
        "potentialOwner",
        "partitionElement",
    }
)
"""Children of a process or subprocess that no token ever enters."""


def is_bpmn(xml: XmlElement, tags: frozenset[str]) -> bool:
    """Return whether the element is one of these of BPMN itself."""
    return xml.space == BPMN and xml.tag in tags


def is_event_definition(xml: XmlElement) -> bool:
    """Return whether the element says what an event waits for or throws."""
    return xml.space == BPMN and xml.tag.endswith("EventDefinition")


def is_boolean(text: str) -> bool:
    """Return whether an attribute says true or false, or nothing: an exporter may leave it empty."""
    return text.strip().lower() in ("", "true", "false", "1", "0")


def is_true(text: str | None) -> bool:
    """Return whether an attribute says true, as XML Schema or a careless exporter writes it."""
    return text is not None and text.strip().lower() in ("true", "1")
