"""Timer: a row with a due time (semantics §6). Deviations: none.

Date and duration fire once, a cycle as often as it says where the position allows repetition. Constant text is checked
at deployment; computed text that is no time fails the token.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import NamedTuple

from bpm.core import events as e
from bpm.core.arming import Owner
from bpm.core.expressions import Expression
from bpm.core.failure import NodeFailed
from bpm.core.graph import Node
from bpm.core.priorities import evaluate_priority
from bpm.core.reading import Armed, Reading
from bpm.core.rows import Timer as TimerRow
from bpm.core.run import Run
from bpm.core.timing import TimingSyntaxError, parse_cycle, parse_date, parse_duration
from bpm.core.token import Wait
from bpm.core.triggers.trigger import BOUNDARY, CATCH, HANDLER, START, Trigger
from bpm.core.xml import OWN, XmlElement

_KINDS = {"timeDate": "date", "timeDuration": "duration", "timeCycle": "cycle"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Timer:
    """When.

    Attributes:
        kind: `date`, `duration` or `cycle`.
        catch_up: whether a cycle also fires for every due time that was missed, not once for all of them.
    """

    kind: str
    text: Expression
    catch_up: bool = False


class TimerTrigger(Trigger[Timer]):
    """Schedules one timer row."""

    tag = "timerEventDefinition"
    wait = Wait.TIMER
    positions = frozenset({START, HANDLER, CATCH, BOUNDARY})

    def read(self, xml: XmlElement, reading: Reading) -> Timer:
        """Return the timer; exactly one of timeDate, timeDuration, timeCycle must be there."""
        found = [child for child in xml.children if child.tag in _KINDS]
        if len(found) != 1 or not found[0].text.strip():
            reading.problem(
                xml, "timer-definition", "A timer has exactly one of timeDate, timeDuration, timeCycle."
            )
            return Timer(kind="duration", text=reading.expression(xml, "PT0S"))
        (child,) = found
        timer = Timer(
            kind=_KINDS[child.tag],
            text=reading.expression(child, child.text),
            catch_up=_catches_up(xml, child, reading),
        )
        if timer.text.dialect == "literal":
            try:
                first_due(timer.kind, timer.text.text, reading.instant, reading.zone)
            except TimingSyntaxError as error:
                reading.problem(child, "timer-text", str(error))
        return timer

    def arm(self, run: Run, node: Node, owner: Owner, definition: Timer, number: int) -> None:
        """Emit TimerScheduled."""
        del number
        value = run.evaluate(definition.text, owner)
        text = value.isoformat() if isinstance(value, date) else str(value).strip()
        now = run.context.now
        try:
            due = first_due(definition.kind, text, now, run.context.zone)
        except TimingSyntaxError as error:
            raise NodeFailed("TimerInvalid", str(error)) from None
        priority = evaluate_priority(run, node.job_priority, owner)
        timer = run.new_id()
        run.emit(
            e.TimerScheduled(
                timer=timer,
                token=owner.token,
                scope=owner.scope,
                node=node.id,
                kind=definition.kind,
                due_at=due,
                series=timer,
                anchor=now,
                expression=text,
                priority=priority,
            )
        )

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


def _catches_up(xml: XmlElement, child: XmlElement, reading: Reading) -> bool:
    """Return what the own attribute `catchUp` says, at the definition or at its text."""
    declared = xml.extension("catchUp", OWN) or child.extension("catchUp", OWN) or "once"
    if declared not in ("once", "all"):
        reading.problem(xml, "catch-up", f"catchUp is once or all, not {declared!r}.")
    return declared == "all"


class Following(NamedTuple):
    """The next due time of a cycle, and its number in the series."""

    due_at: datetime
    number: int


def following(
    expression: str, due: Following, anchor: datetime, now: datetime, zone: tzinfo, *, catch_up: bool
) -> Following | None:
    """Return what comes after a due time of a cycle, None after the last.

    It is computed from that due time, not from the moment of firing. Unless all are caught up with, those that were
    missed in the meantime are passed over; every one of them counts as a firing of a bounded cycle.
    """
    cycle = parse_cycle(expression, zone)
    previous = due.due_at if catch_up else max(due.due_at, now)
    after = cycle.next_after(anchor, previous)
    return None if after is None else Following(after, due.number + 1)


def reschedule(run: Run, row: TimerRow) -> None:
    """Put the next due time of a cycle on the table, if there is one. Emits TimerScheduled."""
    if row.kind != "cycle":
        return
    after = following(
        row.expression,
        Following(row.due_at, row.number),
        row.anchor,
        run.context.now,
        run.context.zone,
        catch_up=all_caught_up(run.graph.nodes[row.node]),
    )
    if after is None:
        return
    run.emit(
        e.TimerScheduled(
            timer=run.new_id(),
            token=row.token,
            scope=row.scope,
            node=row.node,
            kind=row.kind,
            due_at=after.due_at,
            series=row.series,
            number=after.number,
            anchor=row.anchor,
            expression=row.expression,
            priority=row.priority,
        )
    )


def all_caught_up(node: Node) -> bool:
    """Return whether a node's cycle fires for every missed due time."""
    triggers: tuple[Armed, ...] = getattr(node, "triggers", ())
    return any(isinstance(definition, Timer) and definition.catch_up for _, definition in triggers)
