"""Signal: for everybody who waits (semantics §7). Deviations: none.

Thrown inside an instance, its own subscriptions are triggered first, in order of creation, while the thrower still
stands at its event; other instances follow after the commit.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core import events as e
from bpm.core.arming import Owner
from bpm.core.between import Broadcast
from bpm.core.event_mappings import payload_of
from bpm.core.expressions import Expression
from bpm.core.graph import Node
from bpm.core.named import evaluate_name, read_name, subscribe
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token, TokenStatus, Wait
from bpm.core.triggers.trigger import BOUNDARY, CATCH, END, HANDLER, START, THROW, Trigger
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """A signal by name."""

    name: Expression


class SignalTrigger(Trigger[Signal]):
    """Waits under the signal's name, or broadcasts it."""

    tag = "signalEventDefinition"
    wait = Wait.SIGNAL
    positions = frozenset({START, HANDLER, CATCH, BOUNDARY, THROW, END})

    def read(self, xml: XmlElement, reading: Reading) -> Signal:
        """Return the signal that `signalRef` names."""
        name, _ = read_name(xml, reading, "signalRef", "signal")
        return Signal(name=name)

    def arm(self, run: Run, node: Node, owner: Owner, definition: Signal, number: int) -> None:
        """Emit SubscriptionOpened."""
        subscribe(run, node, owner, "signal", evaluate_name(run, definition.name, owner))

    def throw(self, run: Run, node: Node, token: Token, definition: Signal) -> bool:
        """Emit SignalThrown, then trigger this instance's subscriptions; the thrower may not survive that."""
        from bpm.core.triggering import trigger

        name = evaluate_name(run, definition.name, token)
        run.state.require_everything(f"the signal {name} is thrown")
        waiting = [
            row
            for row in run.state.subscriptions.values()
            if row.kind == "signal" and row.name == name and row.status == "OPEN"
        ]
        run.emit(e.SignalThrown(token=token.id, node=node.id, name=name))
        variables = payload_of(run, node, token)
        run.outgoing.append(Broadcast(name, variables))
        for row in sorted(waiting, key=lambda row: row.id):
            if run.state.subscriptions[row.id].status == "OPEN":
                trigger(run, row, variables)
        return run.token(token.id).status is TokenStatus.READY

    def reads(self, definition: Signal) -> frozenset[str] | None:
        """Return the variables of the name."""
        return definition.name.names
