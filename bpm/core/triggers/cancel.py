"""Cancel: undoes a transaction and leaves it by its cancel boundary event (semantics §8). Deviations: none."""

from __future__ import annotations

from bpm.core.compensation.cancelling import CANCEL, cancel
from bpm.core.graph import Node
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token, Wait
from bpm.core.triggers.trigger import BOUNDARY, END, Trigger
from bpm.core.xml import XmlElement


class CancelTrigger(Trigger[None]):
    """Thrown by an end event inside a transaction, caught at its boundary."""

    tag = CANCEL
    wait = Wait.COMPENSATION
    positions = frozenset({BOUNDARY, END})

    def read(self, xml: XmlElement, reading: Reading) -> None:
        """Nothing to read."""

    def throw(self, run: Run, node: Node, token: Token, definition: None) -> bool:
        """Cancel; the token ends with the transaction."""
        cancel(run, node, token)
        return False
