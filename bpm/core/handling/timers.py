"""Firing timers (semantics §6)."""

from __future__ import annotations

from typing import Any

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.rows import InstanceStatus, TimerStatus
from bpm.core.run import Run


def fire(run: Run, command: c.FireTimers) -> dict[str, Any]:
    """Emit TimerFired for each timer that is scheduled and due; its token goes on. Answers `fired`."""
    instance = run.state.instance
    if instance.ended or instance.status is InstanceStatus.SUSPENDED:
        return {"fired": []}
    fired = []
    for timer_id in command.timers:
        timer = run.state.timers.get(timer_id)
        if timer is None or timer.status is not TimerStatus.SCHEDULED or timer.token is None:
            continue
        if timer.due_at > run.context.now and not command.force:
            continue
        run.emit(e.TimerFired(timer=timer.id, token=timer.token, node=timer.node))
        node = run.graph.nodes[timer.node]
        run.element(node).triggered(run, node, run.token(timer.token))
        fired.append(timer.id)
    return {"fired": fired}
