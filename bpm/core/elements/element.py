"""The contract of an element.

    read      XML → node, at deployment
    enter     a token is Ready at the node: pass it on, or bring it to rest
    choose    which outgoing flows a token takes that leaves
    leave     by default: choose, then pass on

Everything an element does to the state it does through the run, by events. It holds no state of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, TypeVar

from bpm.core.graph import Flow, Node
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.xml import XmlElement

N = TypeVar("N", bound=Node)


class Element(ABC, Generic[N]):
    """Behaviour of one BPMN element.

    Attributes:
        tags: names of the BPMN elements it reads; most have one.
        effects: entering writes before it is sure to succeed; the run undoes it when it fails.
    """

    tags: ClassVar[tuple[str, ...]]
    effects: ClassVar[bool] = False

    @abstractmethod
    def read(self, xml: XmlElement, reading: Reading) -> N:
        """Return the node; report what is wrong with the XML to `reading`."""

    @abstractmethod
    def enter(self, run: Run, node: N, token: Token) -> None:
        """Handle a token that is Ready at the node's entrance.

        Raises:
            NodeFailed: the token cannot go on; nothing of this node's work stays.
        """

    def choose(self, run: Run, node: N, token: Token) -> tuple[Flow, ...]:
        """Return the flows a leaving token takes: unconditional ones, true ones, else the default.

        Raises:
            NodeFailed: none can be taken, or a condition cannot be evaluated.
        """
        return run.conditional_flows(node, token)

    def triggered(self, run: Run, node: N, token: Token) -> None:
        """Handle that what the token waits for at this node has come, its row being closed already.

        Raises:
            NodeFailed: the token cannot go on.
        """
        run.wake(token)

    def rests(self, node: N) -> bool:
        """Return whether a token that enters always comes to rest here, so that nothing behind the node is read."""
        return False

    def reads(self, node: N) -> frozenset[str] | None:
        """Return the variables that entering the node may read; None when that cannot be known."""
        return frozenset()
