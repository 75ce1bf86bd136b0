"""Compensation: undoes completed activities (semantics §8). Deviations: none.

Nothing waits for it in a row of its own: completed activities leave records, and a throw looks for those.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.compensation.running import throw
from bpm.core.graph import Node
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token, Wait
from bpm.core.triggers.trigger import BOUNDARY, END, HANDLER, THROW, Trigger
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class Compensation:
    """What is compensated: one activity, or (None) all of the scope; and whether the throwing token waits."""

    activity: str | None = None
    waits: bool = True


class CompensateTrigger(Trigger[Compensation]):
    """Throws; the catching sides are found in the graph when an activity completes."""

    tag = "compensateEventDefinition"
    wait = Wait.COMPENSATION
    positions = frozenset({HANDLER, BOUNDARY, THROW, END})

    def read(self, xml: XmlElement, reading: Reading) -> Compensation:
        """Return the definition; an `activityRef` that names no node is reported by the checks."""
        reference = xml.get("activityRef").strip()
        return Compensation(
            activity=reading.node_id(reference) if reference else None,
            waits=xml.get("waitForCompletion", "true").strip().lower() not in ("false", "0"),
        )

    def throw(self, run: Run, node: Node, token: Token, definition: Compensation) -> bool:
        """Compensate; the token goes on at once where there is nothing to wait for."""
        return throw(run, node, token, definition.activity, waits=definition.waits)
