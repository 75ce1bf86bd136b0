"""Intermediate catch event: the token waits for its trigger (semantics §6, §7).

Deviations: only events with one event definition yet.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.elements.element import Element
from bpm.core.graph import Node
from bpm.core.reading import Armed, Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.triggers.registry import TRIGGERS
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class IntermediateCatchEvent(Node):
    """An intermediate catch event with what it waits for."""

    triggers: tuple[Armed, ...] = ()


class IntermediateCatchEventElement(Element[IntermediateCatchEvent]):
    """Arms the trigger and lets the token wait."""

    tags = ("intermediateCatchEvent",)
    effects = True

    def read(self, xml: XmlElement, reading: Reading) -> IntermediateCatchEvent:
        """Return the node; exactly one event definition is required."""
        triggers = reading.triggers(xml)
        if sum(child.tag.endswith(("EventDefinition", "eventDefinitionRef")) for child in xml.children) != 1:
            message = "An intermediate catch event has exactly one event definition."
            reading.problem(xml, "event-definition", message)
        return IntermediateCatchEvent(**reading.common(xml), triggers=triggers)

    def enter(self, run: Run, node: IntermediateCatchEvent, token: Token) -> None:
        """Arm, then emit TokenBlocked."""
        for tag, definition in node.triggers:
            trigger = TRIGGERS[tag]
            trigger.arm(run, node, token, definition)
            run.block(token, trigger.wait)

    def triggered(self, run: Run, node: IntermediateCatchEvent, token: Token) -> None:
        """Go on."""
        run.wake(token)

    def reads(self, node: IntermediateCatchEvent) -> frozenset[str] | None:
        """Return the variables that arming reads."""
        names: frozenset[str] = frozenset()
        for tag, definition in node.triggers:
            read = TRIGGERS[tag].reads(definition)
            if read is None:
                return None
            names |= read
        return names

    def rests(self, node: IntermediateCatchEvent) -> bool:
        """Always."""
        return True
