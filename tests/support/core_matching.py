"""Whether a waiting subscription is meant by a message (semantics §7)."""

from __future__ import annotations

from bpm.core.ids import Id
from bpm.core.rows import InstanceStatus, Subscription
from bpm.core.state import State
from bpm.core.values import to_text
from bpm.shell.messages import Message


def is_for(message: Message, state: State, row: Subscription) -> bool:
    """Return whether a message is for a subscription of an instance, which is not suspended."""
    instance = state.instance
    if (row.kind, row.status) != ("message", "OPEN") or instance.status not in (
        InstanceStatus.RUNNING,
        InstanceStatus.FAILED,
    ):
        return False
    if message.name not in (None, row.name) or message.instance not in (None, instance.id):
        return False
    if message.business_key not in (None, instance.business_key):
        return False
    keys = {name: to_text(value) for name, value in message.keys.items()}
    named = message.instance is not None and not keys
    if not named and row.correlation not in ("null", message.key, *keys.values()):
        return False
    return all(
        (text != "null" and row.correlation == text) or _has(state, instance.id, name, text)
        for name, text in keys.items()
    ) and all(_has(state, row.scope, name, to_text(value)) for name, value in message.local_keys.items())


def _has(state: State, scope: Id, name: str, text: str) -> bool:
    found = state.variable(scope, name)
    return found is not None and found.value == text
