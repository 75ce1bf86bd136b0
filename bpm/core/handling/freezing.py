"""Freezing an instance of which an invariant does not hold, and releasing it (semantics §1, §10)."""

from __future__ import annotations

from typing import Any, Final

from bpm.core import events as e
from bpm.core import operations as o
from bpm.core.rows import InstanceStatus
from bpm.core.run import Run
from bpm.core.token import TokenStatus

INCIDENT: Final = "InvariantViolated"
RELEASED: Final = "released"
_SUSPENDABLE: Final = frozenset({TokenStatus.READY, TokenStatus.WAITING, TokenStatus.FAILED})


def freeze(run: Run, command: o.FreezeInstance) -> dict[str, Any]:
    """Emit IncidentOpened, IncidentDescribed; unless it has ended TokenSuspended …, InstanceSuspended.

    Instances that it has called go on: nothing is wrong with them. One that is frozen already gets the incident only.
    """
    instance = run.state.instance
    run.open_incident("InvariantViolated", command.evidence, run.graph.key, None)
    if instance.ended or instance.suspended_because == o.INVARIANT:
        return {}
    if instance.status is not InstanceStatus.SUSPENDED and not command.bare:
        run.state.require_everything("all tokens change")
        for token in sorted(run.state.tokens.values(), key=lambda token: token.id):
            if not token.final and token.status in _SUSPENDABLE:
                run.emit(e.TokenSuspended(token=token.id, node=token.node))
    run.emit(e.InstanceSuspended(reason=o.INVARIANT))
    return {}


def resolve_violations(run: Run) -> int:
    """Emit IncidentResolved for the open incidents that came with freezing; return how many."""
    run.state.require_everything("its incidents")
    found = [row for row in run.state.incidents.values() if row.kind == INCIDENT and row.status == "OPEN"]
    for row in sorted(found, key=lambda row: row.id):
        run.emit(e.IncidentResolved(incident=row.id, token=row.token, node=row.node, reason=RELEASED))
    return len(found)
