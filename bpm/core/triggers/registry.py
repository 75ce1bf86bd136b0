"""All triggers, one line each."""

from __future__ import annotations

from typing import Any, Final

from bpm.core.triggers.timer import TimerTrigger
from bpm.core.triggers.trigger import Trigger

_ALL: tuple[Trigger[Any], ...] = (TimerTrigger(),)

TRIGGERS: Final[dict[str, Trigger[Any]]] = {trigger.tag: trigger for trigger in _ALL}
"""Event definition's tag to its behaviour."""
