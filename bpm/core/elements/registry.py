"""All elements, one line each."""

from __future__ import annotations

from typing import Any, Final

from bpm.core.elements.ad_hoc_subprocess import AdHocSubProcessElement
from bpm.core.elements.boundary_event import BoundaryEventElement
from bpm.core.elements.call_activity import CallActivityElement
from bpm.core.elements.complex_gateway import ComplexGatewayElement
from bpm.core.elements.element import Element
from bpm.core.elements.end_event import EndEventElement
from bpm.core.elements.event_based_gateway import EventBasedGatewayElement
from bpm.core.elements.exclusive_gateway import ExclusiveGatewayElement
from bpm.core.elements.inclusive_gateway import InclusiveGatewayElement
from bpm.core.elements.intermediate_catch_event import IntermediateCatchEventElement
from bpm.core.elements.intermediate_throw_event import IntermediateThrowEventElement
from bpm.core.elements.parallel_gateway import ParallelGatewayElement
from bpm.core.elements.receive_task import ReceiveTaskElement
from bpm.core.elements.script_task import ScriptTaskElement
from bpm.core.elements.service_task import ServiceTaskElement
from bpm.core.elements.start_event import StartEventElement
from bpm.core.elements.subprocess import SubProcessElement
from bpm.core.elements.task import TaskElement
from bpm.core.elements.user_task import UserTaskElement

_ALL: tuple[Element[Any], ...] = (
    StartEventElement(),
    EndEventElement(),
    IntermediateCatchEventElement(),
    IntermediateThrowEventElement(),
    BoundaryEventElement(),
    TaskElement(),
    UserTaskElement(),
    ServiceTaskElement(),
    ScriptTaskElement(),
    ReceiveTaskElement(),
    SubProcessElement(),
    AdHocSubProcessElement(),
    CallActivityElement(),
    ExclusiveGatewayElement(),
    ParallelGatewayElement(),
    InclusiveGatewayElement(),
    ComplexGatewayElement(),
    EventBasedGatewayElement(),
)

ELEMENTS: Final[dict[str, Element[Any]]] = {tag: element for element in _ALL for tag in element.tags}
"""BPMN element's tag to its behaviour."""
