"""The XML of a model as plain values, so that elements can read themselves without an XML library.

`bpm.bpmn` makes it from bytes. The five vendor namespaces that mean the same are one space here (semantics §9).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

BPMN = "bpmn"
CAMUNDA = "camunda"
ZEEBE = "zeebe"
OWN = "own"


@dataclass(frozen=True, slots=True, kw_only=True)
class XmlElement:
    """One element.

    Attributes:
        tag: local name.
        space: `bpmn`, `camunda` (with operaton, flowable, activiti), `zeebe`, `own`, else the namespace's name.
        attributes: attributes without namespace, or of the element's own.
        vendor: attributes of other spaces by (space, name).
        text: all character data directly inside, as it stands.
        line: 1-based; 0 if unknown.
    """

    tag: str
    space: str = BPMN
    attributes: Mapping[str, str] = field(default_factory=dict)
    vendor: Mapping[tuple[str, str], str] = field(default_factory=dict)
    children: tuple[XmlElement, ...] = ()
    text: str = ""
    line: int = 0

    @property
    def id(self) -> str:
        """The id, empty where it has none."""
        return self.attributes.get("id", "")

    def get(self, name: str, default: str = "") -> str:
        """Return an attribute of BPMN itself."""
        return self.attributes.get(name, default)

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a boolean attribute of BPMN itself: `true` or `1`, `false` or `0`, else the default."""
        text = self.get(name).strip().lower()
        return default if text not in ("true", "1", "false", "0") else text in ("true", "1")

    def extension(self, name: str, *spaces: str) -> str | None:
        """Return a vendor attribute, from the first of the spaces that has it (default: `camunda`)."""
        for space in spaces or (CAMUNDA,):
            value = self.vendor.get((space, name))
            if value is not None:
                return value
        return None

    def all(self, tag: str, space: str = BPMN) -> Iterator[XmlElement]:
        """Yield the children with this tag, in document order."""
        return (child for child in self.children if child.tag == tag and child.space == space)

    def first(self, tag: str, space: str = BPMN) -> XmlElement | None:
        """Return the first child with this tag."""
        return next(self.all(tag, space), None)

    def extensions(self, tag: str, space: str = CAMUNDA) -> Iterator[XmlElement]:
        """Yield the elements with this tag inside `extensionElements`."""
        for holder in self.all("extensionElements"):
            yield from holder.all(tag, space)

    def child_text(self, tag: str) -> str | None:
        """Return the stripped text of the first child with this tag, None where there is none."""
        child = self.first(tag)
        return None if child is None else child.text.strip()
