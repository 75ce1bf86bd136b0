"""Every trigger that can be waited for, with what makes it come: for tests that play each of them everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from bpm.core import commands as c
from tests.support.play import Case, Play

ROOTS: Final = (
    '<message id="m" name="m"/><signal id="sig" name="sig"/><error id="err" errorCode="err"/>'
    '<escalation id="esc" escalationCode="esc"/>'
)
MESSAGE: Final = '<messageEventDefinition messageRef="m"/>'
SIGNAL: Final = '<signalEventDefinition signalRef="sig"/>'
ERROR: Final = '<errorEventDefinition errorRef="err"/>'
ESCALATION: Final = '<escalationEventDefinition escalationRef="esc"/>'
CONDITION: Final = (
    "<conditionalEventDefinition><condition>${go == true}</condition></conditionalEventDefinition>"
)


class Trigger(NamedTuple):
    """One way in which an event comes.

    Attributes:
        xml: the event definitions.
        come: lets it come, once.
        attributes: of the event.
    """

    xml: str
    come: Callable[[Play, Case], None]
    attributes: str = ""


def timer(kind: str, text: str) -> str:
    """Return a timer definition."""
    return f"<timerEventDefinition><{kind}>{text}</{kind}></timerEventDefinition>"


def send(kind: str) -> Callable[[Play, Case], None]:
    """Return what triggers the open subscriptions of a kind."""

    def come(play: Play, case: Case) -> None:
        del play
        rows = [
            row.id for row in case.state.subscriptions.values() if (row.kind, row.status) == (kind, "OPEN")
        ]
        assert rows, f"no {kind} is waited for"
        if kind == "signal":
            case.do(c.TriggerSignal(subscriptions=tuple(rows)))
        else:
            case.do(c.TriggerMessage(subscription=rows[0]))

    return come


def wait(play: Play, case: Case) -> None:
    """Let the time of every timer come."""
    del case
    play.pass_time("PT61M")


def change(play: Play, case: Case) -> None:
    """Make the condition true."""
    del play
    case.do(c.SetVariables(scope=case.id, variables={"go": True}))


def both(play: Play, case: Case) -> None:
    """Send the message, then the signal; the first alone starts nothing."""
    before = case.at()
    send("message")(play, case)
    assert case.at() == before, "a parallel multiple event waits for all of its definitions"
    send("signal")(play, case)


CAUGHT: Final = {
    "message": Trigger(MESSAGE, send("message")),
    "signal": Trigger(SIGNAL, send("signal")),
    "timer-date": Trigger(timer("timeDate", "2026-01-01T00:30:00Z"), wait),
    "timer-duration": Trigger(timer("timeDuration", "PT30M"), wait),
    "timer-cycle": Trigger(timer("timeCycle", "R1/PT30M"), wait),
    "timer-cron": Trigger(timer("timeCycle", "0 30 * * * ?"), wait),
    "conditional": Trigger(CONDITION, change),
    "multiple": Trigger(MESSAGE + SIGNAL, send("signal")),
    "parallel-multiple": Trigger(MESSAGE + SIGNAL, both, 'parallelMultiple="true"'),
}
"""What comes from outside the process."""
