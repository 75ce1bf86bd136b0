"""How long ended instances of a process are kept: its own rule, else the setting `RETENTION_DAYS` (0: for good)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from bpm.core.errors import DefinitionNotFound, Invalid
from bpm.models import Definition, DefinitionKey, RetentionRule
from bpm.shell.clock import or_frozen
from bpm.shell.configuration import setting
from bpm.shell.database_clock import database_now
from bpm.shell.definition_operations import note

MOST_DAYS = 36_500


@dataclass(frozen=True, slots=True)
class Expired:
    """Ended instances of a process that go if they ended before `before`."""

    tenant: str
    key: str
    before: datetime


def set_retention(key: str, days: int | None, *, tenant: str = "", actor: str = "") -> None:
    """Keep ended instances of a process for so many days from now on; None: for good.

    Statements: 6.

    Raises:
        DefinitionNotFound: no version of the process was ever deployed for the tenant.
        Invalid: the number is none, or out of range.
    """
    if days is not None and not 0 <= days <= MOST_DAYS:
        raise Invalid(f"Days are a whole number from 0 to {MOST_DAYS}.", days=days)
    with transaction.atomic():
        newest = _newest(tenant, key)
        RetentionRule.objects.update_or_create(
            tenant=tenant,
            definition_key=key,
            defaults={"days": days, "changed_at": or_frozen(database_now()), "changed_by": actor},
        )
        note(newest, "RetentionSet", actor, days=days)


def clear_retention(key: str, *, tenant: str = "", actor: str = "") -> None:
    """Let the setting decide again. Raises: DefinitionNotFound. Statements: 6."""
    with transaction.atomic():
        newest = _newest(tenant, key)
        if RetentionRule.objects.filter(tenant=tenant, definition_key=key).delete()[0]:
            note(newest, "RetentionCleared", actor)


def default_days() -> int | None:
    """Return what holds for a process without a rule of its own; None: its instances are kept for good."""
    days: int = setting("RETENTION_DAYS")
    return days or None


def expired(key: str | None = None) -> Iterator[Expired]:
    """Yield the processes of which instances go, with the moment before which they must have ended. Statements: 3."""
    now = or_frozen(database_now())
    rules = {
        (tenant, process): days
        for tenant, process, days in RetentionRule.objects.values_list("tenant", "definition_key", "days")
    }
    default = default_days()
    keys = DefinitionKey.objects.order_by("tenant", "key")
    for tenant, process in (keys if key is None else keys.filter(key=key)).values_list("tenant", "key"):
        days = rules.get((tenant, process), default)
        if days is not None:
            yield Expired(tenant, process, now - timedelta(days=days))


def _newest(tenant: str, key: str) -> Definition:
    # What no key can hold is not asked of the database, which would refuse NUL.
    if not key.isprintable():
        raise DefinitionNotFound(key=key)
    locked = DefinitionKey.objects.select_for_update().filter(tenant=tenant, key=key).first()
    newest = Definition.objects.filter(tenant=tenant, key=key).order_by("-version").first()
    if locked is None or newest is None:
        raise DefinitionNotFound(key=key)
    return newest
