"""None and terminate end event (semantics §2, §4).

A token that reaches an end event ends there, with the reason `end`. Terminate ends the other tokens of its own scope
first, deepest first and newest first. Deviations: none.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.elements.element import Element
from bpm.core.ending import end_inside
from bpm.core.graph import Node
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class EndEvent(Node):
    """An end event."""

    terminate: bool = False


class EndEventElement(Element[EndEvent]):
    """Ends the token, and with `terminate` all others of its scope."""

    tags = ("endEvent",)

    def read(self, xml: XmlElement, reading: Reading) -> EndEvent:
        """Return the node; event definitions other than terminate are refused as not supported."""
        terminate = xml.first("terminateEventDefinition") is not None
        reading.no_event_definition(xml, "terminateEventDefinition")
        return EndEvent(**reading.common(xml), terminate=terminate)

    def enter(self, run: Run, node: EndEvent, token: Token) -> None:
        """End the token; see the module's docstring."""
        if node.terminate:
            end_inside(run, token.scope, "terminated", spare=token.id)
        run.end(token, "end")

    def rests(self, node: EndEvent) -> bool:
        """Always."""
        return True
