"""Intermediate throw event: throws, then the token passes on (semantics §7). Deviations: none.

Throwing waits until all other tokens of the command have come to rest. A link is no event to throw: the token goes on
at the catch of the same name in the same scope.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.elements.element import Element
from bpm.core.eventing import EventNode, names_of, throw_all
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.triggers.trigger import THROW
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class IntermediateThrowEvent(EventNode):
    """An intermediate throw event; `link` is the catch event at which a link goes on."""

    link: str | None = None

    @property
    def jump(self) -> str | None:
        """The catch event of a link."""
        return self.link


class IntermediateThrowEventElement(Element[IntermediateThrowEvent]):
    """Throws and passes the token on."""

    tags = ("intermediateThrowEvent",)

    def read(self, xml: XmlElement, reading: Reading) -> IntermediateThrowEvent:
        """Return the node."""
        link = reading.link_target(xml)
        triggers = () if link is not None else reading.triggers(xml, THROW)
        return IntermediateThrowEvent(**reading.common(xml), triggers=triggers, link=link)

    def enter(self, run: Run, node: IntermediateThrowEvent, token: Token) -> None:
        """Leave at once, or set the token down to throw."""
        if node.triggers:
            run.throwing.append(token.id)
        else:
            run.leave(node, token)

    def throw(self, run: Run, node: IntermediateThrowEvent, token: Token) -> None:
        """Throw, then go on if the token still lives."""
        if throw_all(run, node, token):
            run.leave(node, token)

    def reads(self, node: IntermediateThrowEvent) -> frozenset[str] | None:
        """Return the variables that throwing reads."""
        return names_of(node)
