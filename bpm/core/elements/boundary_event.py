"""Boundary event: waited for while its activity works (semantics §4). Deviations: none.

It belongs to the activity's outermost scope. Interrupting, it ends all inside, deepest first, and the activity's token;
a new token, with the groups of that one, goes on here. Not interrupting, the new token goes on beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.arming import Owner
from bpm.core.elements.element import Element
from bpm.core.ending import end_scope
from bpm.core.eventing import EventNode, arm_all, names_of, still_waits, wait_again
from bpm.core.ids import Id
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.triggers.trigger import BOUNDARY
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryEvent(EventNode):
    """A boundary event."""

    interrupting: bool = True


class BoundaryEventElement(Element[BoundaryEvent]):
    """Takes over from its activity, or goes on beside it."""

    tags = ("boundaryEvent",)

    def read(self, xml: XmlElement, reading: Reading) -> BoundaryEvent:
        """Return the node; it needs an event definition and an activity."""
        common = reading.common(xml)
        triggers = reading.triggers(xml, BOUNDARY)
        if not triggers:
            reading.problem(xml, "event-definition", "A boundary event needs an event definition.")
        if common["attached_to"] is None:
            reading.problem(xml, "boundary-host", "A boundary event is attached to an activity of its scope.")
        return BoundaryEvent(
            **common,
            triggers=triggers,
            parallel=xml.flag("parallelMultiple"),
            interrupting=xml.flag("cancelActivity", True),
        )

    def enter(self, run: Run, node: BoundaryEvent, token: Token) -> None:
        """Leave at once: what was waited for has come."""
        run.leave(node, token)

    def arm(self, run: Run, node: BoundaryEvent, owner: Owner) -> None:
        """Wait for every definition."""
        arm_all(run, node, owner)

    def interrupts(self, node: BoundaryEvent) -> bool:
        """As declared."""
        return node.interrupting

    def caught(self, run: Run, node: BoundaryEvent, scope: Id) -> None:
        """Go on here."""
        if still_waits(run, node, Owner(None, scope, node.id)):
            return
        row = run.state.scopes[scope]
        assert row.outer_token is not None, "an activity's token waits for its scope"
        outer = run.token(row.outer_token)
        if node.interrupting:
            end_scope(run, scope, "interrupted")
            run.end(outer, "interrupted")
        else:
            wait_again(run, node, Owner(None, scope, node.id))
        run.create_token(
            node.id,
            outer.scope,
            "boundary",
            groups=outer.groups,
            parallel_group=outer.parallel_group,
            mode=outer.mode,
        )

    def reads(self, node: BoundaryEvent) -> frozenset[str] | None:
        """Return the variables that arming reads."""
        return names_of(node)
