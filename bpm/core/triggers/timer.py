"""Timer: a row with a due time (semantics §6). Deviations: none.

Date and duration fire once, a cycle as often as it says where the position allows repetition. Constant text is checked
at deployment; computed text that is no time fails the token.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo

from bpm.core import events as e
from bpm.core.expressions import Expression
from bpm.core.failure import NodeFailed
from bpm.core.graph import Node
from bpm.core.ids import Id
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.timing import TimingSyntaxError, parse_cycle, parse_date, parse_duration
from bpm.core.token import Token, Wait
from bpm.core.triggers.trigger import Trigger
from bpm.core.xml import XmlElement

_KINDS = {"timeDate": "date", "timeDuration": "duration", "timeCycle": "cycle"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Timer:
    """When: `kind` is `date`, `duration` or `cycle`."""

    kind: str
    text: Expression


class TimerTrigger(Trigger[Timer]):
    """Schedules one timer row."""

    tag = "timerEventDefinition"
    wait = Wait.TIMER

    def read(self, xml: XmlElement, reading: Reading) -> Timer:
        """Return the timer; exactly one of timeDate, timeDuration, timeCycle must be there."""
        found = [child for child in xml.children if child.tag in _KINDS]
        if len(found) != 1 or not found[0].text.strip():
            reading.problem(
                xml, "timer-definition", "A timer has exactly one of timeDate, timeDuration, timeCycle."
            )
            return Timer(kind="duration", text=reading.expression(xml, "PT0S"))
        (child,) = found
        timer = Timer(kind=_KINDS[child.tag], text=reading.expression(child, child.text))
        if timer.text.dialect == "literal":
            try:
                first_due(timer.kind, timer.text.text, reading.instant, reading.zone)
            except TimingSyntaxError as error:
                reading.problem(child, "timer-text", str(error))
        return timer

    def arm(self, run: Run, node: Node, token: Token, definition: Timer) -> None:
        """Emit TimerScheduled."""
        value = run.evaluate(definition.text, token)
        text = value.isoformat() if isinstance(value, datetime) else str(value).strip()
        now = run.context.now
        try:
            due = first_due(definition.kind, text, now, run.context.zone)
        except TimingSyntaxError as error:
            raise NodeFailed("TimerInvalid", str(error)) from None
        schedule(run, node, token, kind=definition.kind, text=text, due=due)

    def reads(self, definition: Timer) -> frozenset[str] | None:
        """Return the variables of its text."""
        return definition.text.names


def first_due(kind: str, text: str, now: datetime, zone: tzinfo) -> datetime:
    """Return the first due time of a timer's text, counted from `now`.

    Raises:
        TimingSyntaxError: the text is no time of that kind, or the cycle has no due time at all.
    """
    if kind == "date":
        return parse_date(text, zone)
    if kind == "duration":
        return parse_duration(text).add_to(now)
    due = next(iter(parse_cycle(text, zone).due_times(now)), None)
    if due is None:
        raise TimingSyntaxError(text, "the cycle never fires")
    return due


def schedule(run: Run, node: Node, token: Token, *, kind: str, text: str, due: datetime) -> Id:
    """Put the first row of a new series on the table. Emits TimerScheduled."""
    timer = run.new_id()
    run.emit(
        e.TimerScheduled(
            timer=timer,
            token=token.id,
            scope=token.scope,
            node=node.id,
            kind=kind,
            due_at=due,
            series=timer,
            anchor=run.context.now,
            expression=text,
        )
    )
    return timer
