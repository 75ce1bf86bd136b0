"""The contract of an element.

    read        XML → node, at deployment
    enter       a token is Ready at the node: pass it on, or bring it to rest
    throw       a token that `enter` has set down to throw: all others have come to rest
    triggered   what a token waits for at the node has come
    arm, caught the same for events that a scope waits for: boundary events, starts of event subprocesses
    choose      which outgoing flows a token takes that leaves

Everything an element does to the state it does through the run, by events. It holds no state of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, TypeVar

from bpm.core.arming import Owner
from bpm.core.graph import Flow, Node
from bpm.core.ids import Id
from bpm.core.leaving import conditional_flows
from bpm.core.reading import Reading
from bpm.core.rows import Scope
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.xml import XmlElement

N = TypeVar("N", bound=Node)


class Element(ABC, Generic[N]):
    """Behaviour of one BPMN element.

    Attributes:
        tags: names of the BPMN elements it reads; most have one.
    """

    tags: ClassVar[tuple[str, ...]]

    @abstractmethod
    def read(self, xml: XmlElement, reading: Reading) -> N:
        """Return the node; report what is wrong with the XML to `reading`."""

    @abstractmethod
    def enter(self, run: Run, node: N, token: Token) -> None:
        """Handle a token that is Ready at the node's entrance.

        Raises:
            NodeFailed: the token cannot go on; nothing of this node's work stays.
        """

    def throw(self, run: Run, node: N, token: Token) -> None:
        """Throw what the node throws, then let the token go on if it still lives.

        Raises:
            NodeFailed: the token cannot go on; nothing of this node's work stays.
        """
        run.leave(node, token)

    def arm(self, run: Run, node: N, owner: Owner) -> None:
        """Put on the table what the owner waits for at this node; nothing where it is found by looking outwards."""
        del run, node, owner

    def caught(self, run: Run, node: N, scope: Id) -> None:
        """Handle that what a scope waits for at this node has come."""
        raise AssertionError(f"{node.tag} is not waited for by a scope")

    def interrupts(self, node: N) -> bool:
        """Return whether catching this event ends what the scope was doing."""
        del node
        return True

    def triggered(self, run: Run, node: N, token: Token) -> None:
        """Handle that what the token waits for at this node has come, its row being closed already.

        Raises:
            NodeFailed: the token cannot go on.
        """
        del node
        run.wake(token)

    def open(self, run: Run, node: N, token: Token) -> Id:
        """Open the inside of a subprocess, for which the token waits from then on; nothing starts there yet."""
        raise AssertionError(f"{node.tag} has no inside")

    def emptied(self, run: Run, node: N, row: Scope) -> bool:
        """Handle that the subprocess's scope has no live token; return whether something begins in it again."""
        del run, node, row
        return False

    def satisfied(self, run: Run, node: N, token: Token) -> bool:
        """Return whether the subprocess is done with an activity inside that is about to be left.

        Raises:
            NodeFailed: that cannot be evaluated.
        """
        raise AssertionError(f"{node.tag} watches nothing")

    def close(self, run: Run, node: N, scope: Id) -> None:
        """Let the subprocess come to its end, `satisfied` having said so."""
        raise AssertionError(f"{node.tag} watches nothing")

    def compensated(self, run: Run, node: N, token: Token) -> None:
        """Handle that the compensation which the token has thrown, and waits for, is done."""
        del node
        run.wake(token)

    def choose(self, run: Run, node: N, token: Token) -> tuple[Flow, ...]:
        """Return the flows a leaving token takes: unconditional ones, true ones, else the default.

        Raises:
            NodeFailed: none can be taken, or a condition cannot be evaluated.
        """
        return conditional_flows(run, node, token)

    def rests(self, node: N) -> bool:
        """Return whether a token that enters always comes to rest here, so that nothing behind the node is read."""
        del node
        return False

    def reads(self, node: N) -> frozenset[str] | None:
        """Return the variables that entering the node may read; None when that cannot be known."""
        del node
        return frozenset()
