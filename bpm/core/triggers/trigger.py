"""The contract of a trigger: what an event waits for, apart from where the event stands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, TypeVar

from bpm.core.graph import Node
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token, Wait
from bpm.core.xml import XmlElement

D = TypeVar("D")


class Trigger(ABC, Generic[D]):
    """Behaviour of one event definition.

    Attributes:
        tag: name of the BPMN element.
        wait: what a token that waits for it waits for.
    """

    tag: ClassVar[str]
    wait: ClassVar[Wait]

    @abstractmethod
    def read(self, xml: XmlElement, reading: Reading) -> D:
        """Return the definition; report what is wrong with the XML to `reading`."""

    @abstractmethod
    def arm(self, run: Run, node: Node, token: Token, definition: D) -> None:
        """Put the row on the table that will trigger the node.

        Raises:
            NodeFailed: the definition cannot be evaluated.
        """

    @abstractmethod
    def reads(self, definition: D) -> frozenset[str] | None:
        """Return the variables that arming may read; None when that cannot be known."""
