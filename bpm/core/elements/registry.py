"""All elements, one line each."""

from __future__ import annotations

from typing import Any, Final

from bpm.core.elements.element import Element
from bpm.core.elements.end_event import EndEventElement
from bpm.core.elements.exclusive_gateway import ExclusiveGatewayElement
from bpm.core.elements.inclusive_gateway import InclusiveGatewayElement
from bpm.core.elements.intermediate_catch_event import IntermediateCatchEventElement
from bpm.core.elements.intermediate_throw_event import IntermediateThrowEventElement
from bpm.core.elements.parallel_gateway import ParallelGatewayElement
from bpm.core.elements.script_task import ScriptTaskElement
from bpm.core.elements.service_task import ServiceTaskElement
from bpm.core.elements.start_event import StartEventElement
from bpm.core.elements.task import TaskElement
from bpm.core.elements.user_task import UserTaskElement

_ALL: tuple[Element[Any], ...] = (
    StartEventElement(),
    EndEventElement(),
    IntermediateCatchEventElement(),
    IntermediateThrowEventElement(),
    TaskElement(),
    UserTaskElement(),
    ServiceTaskElement(),
    ScriptTaskElement(),
    ExclusiveGatewayElement(),
    ParallelGatewayElement(),
    InclusiveGatewayElement(),
)

ELEMENTS: Final[dict[str, Element[Any]]] = {tag: element for element in _ALL for tag in element.tags}
"""BPMN element's tag to its behaviour."""
