"""What operators do with the starts that wait at a version: by timer, message, signal, condition."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bpm.core import errors
from bpm.engine.answers import Answer, answer_once, checked, identifier, instance_answer
from bpm.models import Subscription
from bpm.shell import start_operations as operations
from bpm.shell.idempotency import Idempotency


def change_start(
    definition_id: str,
    start_id: str,
    *,
    due_at: datetime | None = None,
    priority: int | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Let a timer start become due at another time, or fire before or after others.

    Returns:
        `start_id definition_id process_def_id node_id kind due_at`.

    Raises:
        DefinitionNotFound, Invalid.
        SubscriptionNotFound: nothing is armed there under that id.
    """
    definition, start = _ids(definition_id, start_id)
    return answer_once(
        key,
        tenant,
        lambda: _answer(
            operations.change_start(definition, start, tenant, actor, due_at=due_at, priority=priority)
        ),
    )


def disarm_start(
    definition_id: str,
    start_id: str,
    *,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Take a start away: it starts nothing more until another version is deployed. As `change_start`."""
    definition, start = _ids(definition_id, start_id)
    return answer_once(
        key, tenant, lambda: _answer(operations.disarm_start(definition, start, tenant, actor))
    )


def trigger_start(
    definition_id: str,
    start_id: str,
    *,
    variables: Mapping[str, Any] | None = None,
    business_key: str | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Start an instance there now, as if what it waits for had come; a timer's due time is used up by that.

    Returns:
        As `start`, with `start_id node_id kind`.

    Raises:
        DefinitionNotFound, SubscriptionNotFound, VariableInvalid.
        NotStartable: the version is suspended.
    """
    definition, start = _ids(definition_id, start_id)
    values = checked(variables)

    def produce() -> Answer:
        row, outcome = operations.trigger_start(
            definition, start, tenant, actor, variables=values, business_key=business_key
        )
        return _answer(row) | instance_answer(outcome)

    return answer_once(key, tenant, produce)


def _ids(definition_id: str, start_id: str) -> tuple[str, str]:
    definition = identifier(definition_id, errors.DefinitionNotFound)
    return definition, identifier(start_id, errors.SubscriptionNotFound)


def _answer(row: operations.Armed) -> Answer:
    definition = row.definition
    assert definition is not None, "the start waits at a definition"
    return {
        "start_id": str(row.pk),
        "definition_id": str(definition.pk),
        "process_def_id": definition.key,
        "node_id": row.node,
        "kind": row.kind if isinstance(row, Subscription) else "timer",
        "due_at": None if isinstance(row, Subscription) else row.due_at.isoformat(),
    }
