"""The contract of a trigger: one event definition, apart from where the event stands.

    arm     the catching side: put on the table what an owner waits for
    throw   the throwing side: do it; the answer says whether the token that threw still goes on

A trigger that is found by looking outwards from where it is thrown (error, escalation, compensation, cancel) arms
nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Final, Generic, TypeVar

from bpm.core.arming import Owner
from bpm.core.graph import Node
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token, Wait
from bpm.core.xml import XmlElement

D = TypeVar("D")

START: Final = "start"
HANDLER: Final = "handler"
"""Start of an event subprocess."""
CATCH: Final = "catch"
BOUNDARY: Final = "boundary"
THROW: Final = "throw"
END: Final = "end"


class Trigger(ABC, Generic[D]):
    """Behaviour of one event definition.

    Attributes:
        tag: name of the BPMN element.
        wait: what a token that waits for it waits for.
        positions: where BPMN allows it.
    """

    tag: ClassVar[str]
    wait: ClassVar[Wait] = Wait.NONE
    positions: ClassVar[frozenset[str]]

    @abstractmethod
    def read(self, xml: XmlElement, reading: Reading) -> D:
        """Return the definition; report what is wrong with the XML to `reading`."""

    def arm(self, run: Run, node: Node, owner: Owner, definition: D, number: int) -> None:
        """Put the row on the table that will trigger the node.

        Args:
            number: position of the definition at its node.

        Raises:
            NodeFailed: the definition cannot be evaluated.
        """
        del run, node, owner, definition, number

    def throw(self, run: Run, node: Node, token: Token, definition: D) -> bool:
        """Throw. Return whether the token that threw is alive and may go on.

        Raises:
            NodeFailed: the definition cannot be evaluated.
        """
        raise AssertionError(f"{self.tag} cannot be thrown")

    def reads(self, definition: D) -> frozenset[str] | None:
        """Return the variables that arming or throwing may read; None when that cannot be known."""
        del definition
        return frozenset()
