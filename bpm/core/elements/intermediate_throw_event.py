"""None intermediate throw event: a milestone, the token passes on (semantics §7). Deviations: none."""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.elements.element import Element
from bpm.core.graph import Node
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class IntermediateThrowEvent(Node):
    """An intermediate throw event without event definition."""


class IntermediateThrowEventElement(Element[IntermediateThrowEvent]):
    """Passes the token on."""

    tags = ("intermediateThrowEvent",)

    def read(self, xml: XmlElement, reading: Reading) -> IntermediateThrowEvent:
        """Return the node; event definitions are refused as not supported."""
        reading.no_event_definition(xml)
        return IntermediateThrowEvent(**reading.common(xml))

    def enter(self, run: Run, node: IntermediateThrowEvent, token: Token) -> None:
        """Leave at once."""
        run.leave(node, token)
