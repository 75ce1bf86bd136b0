"""Error: ends what it is thrown in, up to where it is caught (semantics §4). Deviations: none."""

from __future__ import annotations

from bpm.core.coded import Coded, code_of, read_coded
from bpm.core.event_mappings import payload_of
from bpm.core.faults import throw_error
from bpm.core.graph import Node
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.triggers.trigger import BOUNDARY, END, HANDLER, Trigger
from bpm.core.xml import XmlElement


class ErrorTrigger(Trigger[Coded]):
    """Caught by looking outwards from where it is thrown."""

    tag = "errorEventDefinition"
    positions = frozenset({HANDLER, BOUNDARY, END})

    def read(self, xml: XmlElement, reading: Reading) -> Coded:
        """Return the error that `errorRef` names."""
        return read_coded(xml, reading, "errorRef", "errorCode", "error")

    def throw(self, run: Run, node: Node, token: Token, definition: Coded) -> bool:
        """Throw the error; the thrower ends with what it is in, or fails where nothing catches it."""
        code, variables = code_of(run, definition, token), payload_of(run, node, token)
        throw_error(run, token, code, definition.message, variables)
        return False
