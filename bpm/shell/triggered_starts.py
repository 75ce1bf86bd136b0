"""Starting instances by what waits at a definition: its rows are locked first (semantics §6, §7, §11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import connection, transaction

from bpm.core.ids import Id
from bpm.models import Subscription
from bpm.shell.arrivals import Arrived
from bpm.shell.execute import execute, execute_arrived
from bpm.shell.outcome import Outcome
from bpm.shell.starts import Start


def start_by_subscription(
    subscription: Id,
    *,
    variables: Mapping[str, Any],
    business_key: str | None = None,
    actor: str = "",
    arrived: Arrived | None = None,
) -> Outcome | None:
    """Start an instance at a message, signal or conditional start.

    The row is locked against being disarmed, not against other starts.

    Returns:
        Done or a refusal; None where the start is armed no more, or its definition is suspended.

    Raises:
        ArrivedBefore: what has caused it is not there any more.
    """
    with transaction.atomic():
        found = _locked(subscription)
        if found is None:
            return None
        definition, tenant, node, kind, name = found
        start = Start(
            process=str(definition),
            tenant=tenant,
            business_key=business_key,
            variables=variables,
            actor=actor,
            node=node,
            trigger=f"{kind}:{name}",
        )
        return execute(start) if arrived is None else execute_arrived(start, arrived)


def _locked(subscription: Id) -> tuple[Any, str, str, str, str] | None:
    rows = Subscription.objects.filter(
        id=subscription, status="OPEN", definition__isnull=False, definition__suspended=False
    )
    if connection.vendor != "postgresql":
        return rows.values_list("definition_id", "tenant", "node", "kind", "name").first()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT s.definition_id, s.tenant, s.node, s.kind, s.name FROM bpm_subscription s JOIN bpm_definition d "
            "ON d.id = s.definition_id AND NOT d.suspended WHERE s.id = %s AND s.status = 'OPEN' FOR SHARE OF s",
            [subscription],
        )
        row: tuple[Any, str, str, str, str] | None = cursor.fetchone()
        return row
