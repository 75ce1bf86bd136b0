"""Start event: of an instance, a subprocess, or an event subprocess (semantics §4, §7). Deviations: none.

A none start gets its token when the scope opens. The start of an event subprocess is waited for by the scope around it:
interrupting, it first ends all tokens of that scope and all other starts of event subprocesses there.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core import events as e
from bpm.core.arming import Owner, arm_handlers, disarm_handlers
from bpm.core.elements.element import Element
from bpm.core.ending import end_inside
from bpm.core.eventing import EventNode, arm_all, names_of, still_waits
from bpm.core.ids import Id
from bpm.core.layers import AD_HOC, EVENT_SUBPROCESS
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
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
        inner = run.new_id()
        run.emit(
            e.ScopeEntered(scope=inner, node=node.scope, kind=EVENT_SUBPROCESS, parent=scope, token=None)
        )
        arm_handlers(run, inner)
        run.create_token(node.id, inner, "eventSubprocess")

    def reads(self, node: StartEvent) -> frozenset[str] | None:
        """Return the variables that arming reads."""
        return names_of(node)
