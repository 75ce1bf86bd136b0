"""Firing timers (semantics §6)."""

from __future__ import annotations

from typing import Any

from bpm.core import commands as c
from bpm.core.rows import InstanceStatus, TimerStatus
from bpm.core.run import Run
from bpm.core.triggering import trigger


def fire(run: Run, command: c.FireTimers) -> dict[str, Any]:
    """Emit TimerFired for each timer that is scheduled and due; its token goes on. Answers `fired`."""
    instance = run.state.instance
    if instance.ended or instance.status is InstanceStatus.SUSPENDED:
        return {"fired": []}
    fired = []
    for timer_id in command.timers:
        timer = run.state.timers.get(timer_id)
        if timer is None or timer.status is not TimerStatus.SCHEDULED:
            continue
        if timer.due_at > run.context.now and not command.force:
            continue
        trigger(run, timer, {})
        fired.append(timer.id)
    return {"fired": fired}
