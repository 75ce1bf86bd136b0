"""`decide(graph, state, command, context)`: one command against one state, as events (semantics §10)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bpm.core.between import Broadcast, Outgoing
from bpm.core.commands import Command
from bpm.core.context import Context
from bpm.core.elements.registry import ELEMENTS
from bpm.core.errors import EngineError
from bpm.core.events import Event
from bpm.core.graph import Graph
from bpm.core.handling.registry import HANDLERS
from bpm.core.rest import come_to_rest
from bpm.core.run import Run
from bpm.core.state import Missing, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a command does.

    Attributes:
        events: in order; applied to the state already.
        answer: what the caller is told besides the instance's status.
        outgoing: what goes to other instances, in order.
    """

    events: list[Event]
    answer: dict[str, Any]
    outgoing: list[Outgoing | Broadcast] = field(default_factory=list)


def decide(graph: Graph, state: State, command: Command, context: Context) -> Decision:
    """Decide one command; the state is changed in place.

    The same arguments give the same events: there is no clock, chance or I/O in here.

    Raises:
        Refused: the command is not possible; the state is as before.
        Missing: the working set lacks rows; the state is as before.
        InvariantViolated: a bug; the state is as before.
    """
    mark = state.mark()
    run = Run(graph, state, context, ELEMENTS)
    try:
        answer = HANDLERS[type(command)](run, command)
        come_to_rest(run)
    except (EngineError, Missing):
        state.rollback(mark)
        raise
    return Decision(events=run.events, answer=answer, outgoing=run.outgoing)
