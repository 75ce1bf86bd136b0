"""Conditional starts: evaluated on request, with given variables (semantics §7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from bpm.core.errors import DefinitionNotFound, EngineError
from bpm.core.ids import is_id
from bpm.core.starts import starts_on
from bpm.models import Definition, Subscription
from bpm.shell.database_clock import database_now
from bpm.shell.definitions import graph_of
from bpm.shell.outcome import Done
from bpm.shell.triggered_starts import start_by_subscription


def start_where_true(
    variables: Mapping[str, Any],
    *,
    tenant: str,
    business_key: str | None = None,
    definition: str | None = None,
    actor: str = "",
) -> list[Done]:
    """Start an instance at each armed conditional start that is true for the variables.

    A condition about variables that are not given is not true.

    Args:
        definition: id of a version, or key, of the only process that may start.

    Raises:
        DefinitionNotFound: there is no such process.
    """
    rows = Subscription.objects.filter(
        tenant=tenant, kind="condition", status="OPEN", definition__isnull=False, definition__suspended=False
    )
    if definition is not None:
        named = Q(id=definition) if is_id(definition) else Q(key=definition)
        if not Definition.objects.filter(named, tenant=tenant, deleted_at__isnull=True).exists():
            raise DefinitionNotFound(definition=definition)
        rows = (
            rows.filter(definition_id=definition)
            if is_id(definition)
            else rows.filter(definition__key=definition)
        )
    now = database_now()
    started = []
    for number, version, node, name in rows.order_by("id").values_list("id", "definition_id", "node", "name"):
        if not starts_on(graph_of(str(version)), node, int(name), variables, now):
            continue
        outcome = start_by_subscription(
            str(number), variables=variables, business_key=business_key, actor=actor
        )
        if isinstance(outcome, EngineError):
            raise outcome
        if outcome is not None:
            started.append(outcome)
    return started
