"""The data elements of a process, as variables (semantics §9).

A property is the variable of its id. A data object is that of its name, else of the name of a reference to it, else of
its id. Data inputs and outputs go by name, else by id.
"""

from __future__ import annotations

import re
from typing import Final

from bpm.bpmn.file_index import FileIndex, walk
from bpm.core.mappings import DataName
from bpm.core.xml import BPMN, XmlElement

_STATE: Final = re.compile(r"\s*\[[^\]]*\]$")
_STORES: Final = frozenset({"dataStore", "dataStoreReference"})


class DataNames:
    """Data elements of one process by id."""

    def __init__(self, process: XmlElement, index: FileIndex) -> None:
        self._index = index
        self._by_id: dict[str, DataName] = {}
        self._objects: dict[str, str] = {}
        elements = [xml for xml in walk(process) if xml.space == BPMN and xml.id]
        for xml in elements:
            if xml.tag == "dataObject":
                self._objects[xml.id] = clean(xml.get("name"))
        references = [xml for xml in elements if xml.tag == "dataObjectReference"]
        for xml in references:
            name = _STATE.sub("", clean(xml.get("name")))
            if name and not self._objects.get(xml.get("dataObjectRef").strip(), name):
                self._objects[xml.get("dataObjectRef").strip()] = name
        for xml in elements:
            found = self._name(xml)
            if found is not None:
                self._by_id.setdefault(xml.id, found)

    def _name(self, xml: XmlElement) -> DataName | None:
        if xml.tag in ("dataInput", "dataOutput"):
            return DataName(tuple(dict.fromkeys((clean(xml.get("name")) or xml.id, xml.id))))
        if xml.tag == "property":
            return DataName((xml.id,))
        if xml.tag == "dataObject":
            return DataName((self._objects.get(xml.id) or xml.id,))
        if xml.tag == "dataObjectReference":
            reference = xml.get("dataObjectRef").strip()
            known = self._objects.get(reference)
            own = _STATE.sub("", clean(xml.get("name"))) or xml.id
            return DataName((own if known is None else known or reference,))
        return None

    def find(self, reference: str) -> DataName | None:
        """Return the variable of a data element that a QName names; None where it is none of this process."""
        name = reference.strip()
        return self._find(name) or self._find(name.rpartition(":")[2])

    def _find(self, name: str) -> DataName | None:
        called = self._index.called_data.get(name)
        return self._by_id.get(name) or (None if called is None else self._name(called))

    def is_store(self, reference: str) -> bool:
        """Return whether a QName names a data store, which lies outside every process."""
        found = self._index.find(reference)
        return found is not None and found.tag in _STORES

    def of_scope(self, scope: XmlElement) -> tuple[str, ...]:
        """Return the variables of the data objects and properties that stand directly in a scope."""
        inside = (xml for xml in scope.children if xml.space == BPMN and xml.id in self._by_id)
        found = (self._by_id[xml.id].names[0] for xml in inside if xml.tag in ("dataObject", "property"))
        return tuple(dict.fromkeys(found))


def clean(name: str) -> str:
    """Return a name without line breaks and repeated blanks."""
    return " ".join(name.split())


def is_only_drawn(association: XmlElement, index: FileIndex) -> bool:
    """Return whether a data association is a line only: modelling tools write half a one, or one to a placeholder."""
    ends = [association.child_text(tag) for tag in ("sourceRef", "targetRef")]
    if association.first("assignment") is not None:
        return False
    if not ends[1] or not (ends[0] or association.first("transformation") is not None):
        return True
    found = [index.find(end) for end in ends if end]
    return any(xml is not None and xml.get("name").startswith("__") for xml in found)
