"""Finds elements of a file by id."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final

from bpm.bpmn.limits import DEFAULT_LIMITS
from bpm.bpmn.namespaces import local_part
from bpm.core.errors import DefinitionInvalid, Problem
from bpm.core.xml import BPMN, XmlElement

_DATA_TAGS: Final = frozenset({"dataInput", "dataOutput", "property", "dataObject", "dataObjectReference"})


def walk(xml: XmlElement) -> Iterator[XmlElement]:
    """Yield an element and all inside it, in document order."""
    stack = [xml]
    while stack:
        element = stack.pop()
        yield element
        stack.extend(reversed(element.children))


class FileIndex:
    """All BPMN elements of a file that have an id.

    Attributes:
        root: the `definitions` element.
        repeated: the elements whose id an earlier one has already.
    """

    def __init__(self, root: XmlElement, most_copied: int = DEFAULT_LIMITS.elements) -> None:
        self.root = root
        self._most_copied = most_copied
        self._copied = 0
        self._sizes: dict[int, int] = {}
        self.repeated: list[XmlElement] = []
        self._by_id: dict[str, XmlElement] = {}
        for element in walk(root):
            name = element.id
            if name and element.space == BPMN and self._by_id.setdefault(name, element) is not element:
                self.repeated.append(element)
        self._top = {child.id: child for child in root.children if child.space == BPMN and child.id}

    def find(self, reference: str) -> XmlElement | None:
        """Return what a QName or id names; prefixes are taken off where the id as it stands is unknown."""
        name = reference.strip()
        return self._by_id.get(name) or self._by_id.get(local_part(name))

    def top(self, reference: str) -> XmlElement | None:
        """Return the child of `definitions` that a QName names."""
        name = reference.strip()
        return self._top.get(name) or self._top.get(local_part(name))

    def copied(self, xml: XmlElement) -> XmlElement:
        """Return an element that is read once more where another one refers to it.

        A small file can refer to one large element thousands of times, which costs as much as a file that holds it
        thousands of times: so both have the same limit.

        Raises:
            DefinitionInvalid: rule `too-many-elements`.
        """
        size = self._sizes.get(id(xml))
        if size is None:
            size = self._sizes[id(xml)] = sum(1 for _ in walk(xml))
        self._copied += size
        if self._copied > self._most_copied:
            message = (
                f"With all that its elements refer to, the file has more than {self._most_copied} elements."
            )
            raise DefinitionInvalid((Problem(xml.id, xml.line, "too-many-elements", message),))
        return xml

    @cached_property
    def called_data(self) -> dict[str, XmlElement]:
        """The data elements of global tasks, which every process may call, by id."""
        tops = (xml for xml in self.root.children if xml.tag.startswith("global"))
        inside = (
            xml for top in tops for xml in walk(top) if xml.id and xml.space == BPMN and xml.tag in _DATA_TAGS
        )
        found: dict[str, XmlElement] = {}
        for xml in inside:
            found.setdefault(xml.id, xml)
        return found

    @cached_property
    def message_flows(self) -> dict[str, tuple[XmlElement, ...]]:
        """The message flows that may begin or end at an element, by its id: the reference, and its local part."""
        found: dict[str, list[XmlElement]] = {}
        for collaboration in self.root.children:
            for flow in collaboration.all("messageFlow") if "id" in collaboration.attributes else ():
                ends = (flow.get("sourceRef").strip(), flow.get("targetRef").strip())
                for name in {*ends, *map(local_part, ends)}:
                    found.setdefault(name, []).append(flow)
        return {name: tuple(flows) for name, flows in found.items()}
