"""Escalation: tells the outside, which may or may not interrupt (semantics §4). Deviations: none."""

from __future__ import annotations

from bpm.core.coded import Coded, code_of, read_coded
from bpm.core.event_mappings import payload_of
from bpm.core.faults import throw_escalation
from bpm.core.graph import Node
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token, TokenStatus
from bpm.core.triggers.trigger import BOUNDARY, END, HANDLER, THROW, Trigger
from bpm.core.xml import XmlElement


class EscalationTrigger(Trigger[Coded]):
    """Caught by looking outwards from where it is thrown."""

    tag = "escalationEventDefinition"
    positions = frozenset({HANDLER, BOUNDARY, THROW, END})

    def read(self, xml: XmlElement, reading: Reading) -> Coded:
        """Return the escalation that `escalationRef` names."""
        return read_coded(xml, reading, "escalationRef", "escalationCode", "escalation")

    def throw(self, run: Run, node: Node, token: Token, definition: Coded) -> bool:
        """Throw the escalation; unless it interrupts around the thrower, that goes on."""
        throw_escalation(run, token, code_of(run, definition, token), payload_of(run, node, token))
        return run.token(token.id).status is TokenStatus.READY
