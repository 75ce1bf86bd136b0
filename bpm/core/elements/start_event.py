"""Start event: of an instance, a subprocess, or an event subprocess (semantics §4, §7). Deviations: none.

A none start gets its token when the scope opens. The start of an event subprocess is waited for by the scope around it:
interrupting, it first ends all tokens of that scope and all other starts of event subprocesses there. A parallel
multiple start of a process begins with what comes first, and waits there for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core import events as e
from bpm.core.arming import Owner, disarm_handlers
from bpm.core.elements.element import Element
from bpm.core.ending import end_inside
from bpm.core.eventing import EventNode, arm_all, names_of, still_waits, wait_again
from bpm.core.failure import NodeFailed
from bpm.core.ids import Id
from bpm.core.layers import AD_HOC, EVENT_SUBPROCESS
from bpm.core.opening import arm_scope, fail_unarmed, first_phase
from bpm.core.phases import CAUGHT
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token, Wait
from bpm.core.triggers.registry import TRIGGERS
from bpm.core.triggers.trigger import HANDLER, START
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class StartEvent(EventNode):
    """A start event.

    Attributes:
        interrupting: whether it ends what goes on in the scope around its event subprocess.
        initiator: variable that gets the actor's name, if declared.
        form_key: key of the start form.
    """

    interrupting: bool = True
    initiator: str | None = None
    form_key: str | None = None


class StartEventElement(Element[StartEvent]):
    """Passes the token on."""

    tags = ("startEvent",)

    def read(self, xml: XmlElement, reading: Reading) -> StartEvent:
        """Return the node."""
        position = HANDLER if reading.in_event_subprocess(xml) else START
        return StartEvent(
            **reading.common(xml),
            triggers=reading.triggers(xml, position),
            parallel=xml.flag("parallelMultiple"),
            interrupting=xml.flag("isInterrupting", True),
            initiator=xml.extension("initiator"),
            form_key=xml.extension("formKey"),
        )

    def enter(self, run: Run, node: StartEvent, token: Token) -> None:
        """Leave at once."""
        run.leave(node, token)

    def arm(self, run: Run, node: StartEvent, owner: Owner) -> None:
        """Wait for every definition."""
        arm_all(run, node, owner)

    def interrupts(self, node: StartEvent) -> bool:
        """As declared."""
        return node.interrupting

    def caught(self, run: Run, node: StartEvent, scope: Id) -> None:
        """Open the event subprocess beside what goes on in the scope, or instead of it."""
        if still_waits(run, node, Owner(None, scope, node.id)):
            return
        if node.interrupting:
            end_inside(run, scope, "interrupted")
            disarm_handlers(run, scope)
            if run.state.scopes[scope].kind == AD_HOC:
                run.emit(e.ScopeClosing(scope=scope, node=run.state.scopes[scope].node, reason="interrupted"))
        else:
            wait_again(run, node, Owner(None, scope, node.id))
        inner = run.new_id()
        run.emit(
            e.ScopeEntered(scope=inner, node=node.scope, kind=EVENT_SUBPROCESS, parent=scope, token=None)
        )
        failure = arm_scope(run, inner)
        phase = first_phase(run.graph, node.scope)
        fail_unarmed(run, run.create_token(node.id, inner, "eventSubprocess", phase=phase), failure)

    def triggered(self, run: Run, node: StartEvent, token: Token) -> None:
        """Go on, all definitions of a parallel multiple start having come."""
        if not still_waits(run, node, Owner(token.id, token.scope, node.id)):
            phase = first_phase(run.graph, node.scope, CAUGHT)
            run.emit(e.TokenResumed(token=token.id, node=node.id, phase=phase))
            run.enqueue(token.id)

    def reads(self, node: StartEvent) -> frozenset[str] | None:
        """Return the variables that arming reads."""
        return names_of(node)


def wait_for_others(run: Run, node: StartEvent, came: int) -> Id:
    """Begin a process at a parallel multiple start one of whose definitions has come: its token waits for the others.

    What they wait for cannot see variables that are not there yet: then the token fails, and a retry begins at once.
    """
    token = run.create_waiting(node.id, run.state.instance.id, "start")
    mark, length = run.state.mark(), len(run.events)
    try:
        for number, (tag, definition) in enumerate(node.triggers):
            if number != came:
                owner = Owner(token, run.state.instance.id, node.id)
                TRIGGERS[tag].arm(run, node, owner, definition, number)
    except NodeFailed as failure:
        run.state.rollback(mark)
        del run.events[length:]
        run.fail(run.token(token), failure)
        return token
    run.block(run.token(token), Wait.EVENTS)
    return token
