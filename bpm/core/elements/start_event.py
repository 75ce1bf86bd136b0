"""None start event: where a started instance gets its first token (semantics §2, §4). Deviations: none."""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.elements.element import Element
from bpm.core.graph import Node
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class StartEvent(Node):
    """A start event.

    Attributes:
        initiator: variable that gets the actor's name, if declared.
        form_key: key of the start form.
    """

    initiator: str | None = None
    form_key: str | None = None


class StartEventElement(Element[StartEvent]):
    """Passes the token on."""

    tags = ("startEvent",)

    def read(self, xml: XmlElement, reading: Reading) -> StartEvent:
        """Return the node; a start event with an event definition is refused as not supported."""
        reading.no_event_definition(xml)
        return StartEvent(
            **reading.common(xml), initiator=xml.extension("initiator"), form_key=xml.extension("formKey")
        )

    def enter(self, run: Run, node: StartEvent, token: Token) -> None:
        """Leave at once."""
        run.leave(node, token)
