"""What a run left behind, so that two runs can be compared: histories without ids, times and traces of recovery."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, NamedTuple

from bpm.models import HistoryEvent, ProcessInstance, Variable
from tests.support.crash_world import own_instances

RECOVERY = frozenset(
    {
        *("ExternalTaskLocked", "ExternalTaskLockExpired"),
        *("JobStarted", "JobLeaseExpired", "NodeExecutionStarted", "TokenRecovered"),
    }
)
"""Events that say that work was taken, given up and taken again."""

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)?")
_COUNTED = frozenset({"lease", "attempt", "until", "crashes", "expiries", "arrived", "flows"})
"""Fields that count how often work was taken, or the order of branches: one whose work was taken twice comes later."""
_SOONER_OR_LATER = {"completing": "completed"}
"""A scope whose last branch comes later is left by another."""


class Left(NamedTuple):
    """What a run left: statuses, events and variables of its instances, as multisets."""

    statuses: Counter[str]
    events: Counter[str]
    variables: Counter[str]


def left_by(run: str) -> Left:
    """Return what the present run, of this name, left."""
    mine = own_instances()
    rows = list(
        ProcessInstance.objects.filter(id__in=mine).values_list("id", "definition_key", "status", "live")
    )
    events = HistoryEvent.objects.filter(instance_id__in=mine).exclude(event_type__in=RECOVERY)
    variables = Variable.objects.filter(instance_id__in=mine).values_list("name", "value")
    return Left(
        Counter(f"{key} {status} {live}" for _, key, status, live in rows),
        Counter(_event(*row, run) for row in events.values_list("event_type", "node", "final", "payload")),
        Counter(f"{name}={value}" for name, value in variables),
    )


def _event(kind: str, node: str | None, final: bool, payload: str, run: str) -> str:
    stripped = _stripped(json.loads(payload or "{}"))
    text = json.dumps(stripped, sort_keys=True).replace(run, "RUN")
    return f"{kind} {node} {final} {_INSTANT.sub('@', _ID.sub('#', text))}"


def _stripped(value: Any) -> Any:
    if isinstance(value, dict):
        return {_ID.sub("#", key): _stripped(item) for key, item in value.items() if key not in _COUNTED}
    if isinstance(value, list):
        return [_stripped(item) for item in value]
    return _SOONER_OR_LATER.get(value, value) if isinstance(value, str) else value
