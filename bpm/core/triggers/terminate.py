"""Terminate: ends all other tokens of its own scope (semantics §4). Deviations: none."""

from __future__ import annotations

from bpm.core.ending import end_inside
from bpm.core.graph import Node
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.triggers.trigger import END, Trigger
from bpm.core.xml import XmlElement


class TerminateTrigger(Trigger[None]):
    """Deepest first, newest first; the thrower ends last."""

    tag = "terminateEventDefinition"
    positions = frozenset({END})

    def read(self, xml: XmlElement, reading: Reading) -> None:
        """Nothing to read."""

    def throw(self, run: Run, node: Node, token: Token, definition: None) -> bool:
        """End the others."""
        end_inside(run, token.scope, "terminated", spare=token.id)
        return True
