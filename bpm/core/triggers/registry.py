"""All triggers, one line each."""

from __future__ import annotations

from typing import Any, Final

from bpm.core.triggers.cancel import CancelTrigger
from bpm.core.triggers.compensate import CompensateTrigger
from bpm.core.triggers.conditional import ConditionalTrigger
from bpm.core.triggers.error import ErrorTrigger
from bpm.core.triggers.escalation import EscalationTrigger
from bpm.core.triggers.message import MessageTrigger
from bpm.core.triggers.signal import SignalTrigger
from bpm.core.triggers.terminate import TerminateTrigger
from bpm.core.triggers.timer import TimerTrigger
from bpm.core.triggers.trigger import Trigger

_ALL: tuple[Trigger[Any], ...] = (
    TimerTrigger(),
    MessageTrigger(),
    SignalTrigger(),
    ConditionalTrigger(),
    ErrorTrigger(),
    EscalationTrigger(),
    CompensateTrigger(),
    CancelTrigger(),
    TerminateTrigger(),
)

TRIGGERS: Final[dict[str, Trigger[Any]]] = {trigger.tag: trigger for trigger in _ALL}
"""Event definition's tag to its behaviour."""
