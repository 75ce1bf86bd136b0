"""Data elements and artifacts of a process: what is drawn beside the flow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from bpm.bpmn.tags import SUBPROCESSES, is_bpmn
from bpm.core.xml import XmlElement

DATA_TAGS = frozenset({"dataObject", "dataObjectReference", "dataStoreReference", "property"})


class DataElement(NamedTuple):
    """A data object, a reference to one or to a data store, or a property; `reference` as written."""

    id: str
    name: str
    tag: str
    reference: str
    is_collection: bool


class Annotation(NamedTuple):
    """A text annotation."""

    id: str
    text: str


class Group(NamedTuple):
    """A group; `category` is the reference to its category value as written."""

    id: str
    category: str


class Association(NamedTuple):
    """An association; `direction` is `None`, `One` or `Both`."""

    id: str
    source: str
    target: str
    direction: str


def read_data(scope: XmlElement) -> tuple[DataElement, ...]:
    """Return the data elements of a process, those in its subprocesses included."""
    return tuple(
        DataElement(
            xml.id,
            xml.get("name").strip(),
            xml.tag,
            (xml.get("dataObjectRef") or xml.get("dataStoreRef")).strip(),
            xml.get("isCollection").strip() == "true",
        )
        for xml in _beside(scope)
        if is_bpmn(xml, DATA_TAGS)
    )


def read_annotations(scope: XmlElement) -> tuple[Annotation, ...]:
    """Return the text annotations of a process or collaboration."""
    return tuple(Annotation(xml.id, xml.child_text("text") or "") for xml in _tagged(scope, "textAnnotation"))


def read_groups(scope: XmlElement) -> tuple[Group, ...]:
    """Return the groups of a process or collaboration."""
    return tuple(Group(xml.id, xml.get("categoryValueRef").strip()) for xml in _tagged(scope, "group"))


def read_associations(scope: XmlElement) -> tuple[Association, ...]:
    """Return the associations of a process or collaboration."""
    return tuple(
        Association(xml.id, xml.get("sourceRef").strip(), xml.get("targetRef").strip(), _direction(xml))
        for xml in _tagged(scope, "association")
    )


def _direction(xml: XmlElement) -> str:
    return xml.get("associationDirection", "None").strip()


def _tagged(scope: XmlElement, tag: str) -> Iterator[XmlElement]:
    return (xml for xml in _beside(scope) if is_bpmn(xml, frozenset({tag})))


def _beside(scope: XmlElement) -> Iterator[XmlElement]:
    for child in scope.children:
        yield child
        if is_bpmn(child, SUBPROCESSES):
            yield from _beside(child)
