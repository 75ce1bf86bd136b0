"""Finds elements of a file by id."""

from __future__ import annotations

from collections.abc import Iterator

from bpm.bpmn.namespaces import local_part
from bpm.core.xml import BPMN, XmlElement


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

    def __init__(self, root: XmlElement) -> None:
        self.root = root
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
