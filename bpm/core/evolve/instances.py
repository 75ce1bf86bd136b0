"""What events about the instance itself change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from bpm.core import events as e
from bpm.core.erasing import blank_row
from bpm.core.rows import InstanceStatus
from bpm.core.state import State


def _started(state: State, event: e.InstanceStarted, at: datetime) -> None:
    instance = state.instance
    instance.definition = event.definition
    instance.definition_key = event.definition_key
    instance.tenant = event.tenant
    instance.business_key = event.business_key
    instance.parent_instance = event.parent_instance
    instance.parent_token = event.parent_token
    instance.root = event.root
    instance.started_at = at


def _ended(status: InstanceStatus) -> Callable[[State, Any, datetime], None]:
    def apply(state: State, event: e.Event, at: datetime) -> None:
        state.instance.status = status
        state.instance.ended_at = at
        state.instance.passes = {}

    return apply


def _failed(state: State, event: e.InstanceFailed, at: datetime) -> None:
    state.instance.status = InstanceStatus.FAILED


def _recovered(state: State, event: e.InstanceRecovered, at: datetime) -> None:
    state.instance.status = InstanceStatus.RUNNING


def _modified(state: State, event: e.InstanceModified, at: datetime) -> None:
    """Nothing of its own: what the instructions do has its own events."""


def _suspended(state: State, event: e.InstanceSuspended, at: datetime) -> None:
    state.instance.status = InstanceStatus.SUSPENDED
    state.instance.suspended_because = event.reason


def _activated(state: State, event: e.InstanceActivated, at: datetime) -> None:
    state.instance.status = InstanceStatus(event.status)
    state.instance.suspended_because = None


def _erased(state: State, event: e.PersonalDataErased, at: datetime) -> None:
    for item in event.erased:
        if item["current"]:
            blank_row(state, item["type"], item["kept"])


APPLY: dict[type[e.Event], Callable[[State, Any, datetime], None]] = {
    e.InstanceStarted: _started,
    e.InstanceCompleted: _ended(InstanceStatus.COMPLETED),
    e.InstanceCancelled: _ended(InstanceStatus.CANCELLED),
    e.InstanceFailed: _failed,
    e.InstanceRecovered: _recovered,
    e.InstanceModified: _modified,
    e.InstanceSuspended: _suspended,
    e.InstanceActivated: _activated,
    e.PersonalDataErased: _erased,
}
