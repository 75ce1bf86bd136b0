"""How long ended instances of each process are kept (docs/how-to/retain-and-erase.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bpm.core.errors import DefinitionNotFound
from bpm.models import DefinitionKey, RetentionRule
from bpm.queries.page import DEFAULT_LIMIT, Cursors, Page
from bpm.shell.retention_rules import default_days

_CURSORS: Final = Cursors("retention")


@dataclass(frozen=True, slots=True)
class RetentionRow:
    """What holds for one process.

    Attributes:
        days: from an instance's end to its removal; null: it is kept for good.
        own_rule: the process has a rule of its own; else the setting decides.
        changed_at, changed_by: of its own rule.
    """

    process_def_id: str
    days: int | None
    own_rule: bool
    changed_at: datetime | None
    changed_by: str


def list_retention(
    tenant: str, *, cursor: str | None = None, limit: int = DEFAULT_LIMIT
) -> Page[RetentionRow]:
    """Return the tenant's processes by key, each with what holds for it. Statements: 2.

    Raises:
        CursorInvalid: the cursor is not one of this list.
    """
    keys = DefinitionKey.objects.filter(tenant=tenant)
    if cursor is not None:
        (after,) = _CURSORS.read(cursor, 1)
        keys = keys.filter(key__gt=after)
    names = list(keys.order_by("key").values_list("key", flat=True)[: limit + 1])
    return _CURSORS.page(_rows(tenant, names), limit, lambda row: (row.process_def_id,))


def find_retention(process_def_id: str, *, tenant: str) -> RetentionRow:
    """Return what holds for one process. Statements: 2.

    Raises:
        DefinitionNotFound: no version of it was ever deployed for the tenant.
    """
    # What no key can hold is not asked of the database, which would refuse NUL.
    known = DefinitionKey.objects.filter(tenant=tenant, key=process_def_id)
    if not process_def_id.isprintable() or not known.exists():
        raise DefinitionNotFound(key=process_def_id)
    return _rows(tenant, [process_def_id])[0]


def _rows(tenant: str, names: Iterable[str]) -> list[RetentionRow]:
    names = list(names)
    rules = RetentionRule.objects.filter(tenant=tenant, definition_key__in=names)
    own = {rule.definition_key: rule for rule in rules}
    return [_row(name, own.get(name)) for name in names]


def _row(name: str, rule: RetentionRule | None) -> RetentionRow:
    if rule is None:
        return RetentionRow(name, default_days(), own_rule=False, changed_at=None, changed_by="")
    return RetentionRow(
        name, rule.days, own_rule=True, changed_at=rule.changed_at, changed_by=rule.changed_by
    )
