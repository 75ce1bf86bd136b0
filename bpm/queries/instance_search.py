"""Searching instances by anything, at a cost that the number of instances does not change.

A page looks at no more than a stretch of the newest instances that an index can list. Where the wanted ones are rare,
a page may come back short or empty although there are more: its cursor then goes on after the stretch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from bpm.core.values import to_text
from bpm.models import ProcessInstance, Variable
from bpm.queries.bounded import Bounded, bounded_count
from bpm.queries.instances import FIELDS, InstanceFilter, InstanceRow, narrowed
from bpm.queries.page import DEFAULT_LIMIT, Cursors
from bpm.queries.visible import of_seen_processes

_CURSORS: Final = Cursors("instance search")
STRETCH: Final = 5_000
"""Instances that one page looks at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableCondition:
    """A variable of any scope that is still there; `value` is JSON, compared digit by digit. None: any value."""

    name: str
    value: Any = None
    any_value: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """One page of a search.

    Attributes:
        count: how many match from here on, in the stretch looked at.
        next: cursor of what comes after; None at the end.
        short: the page is not full although there may be more; the search goes on at `next`.
    """

    items: tuple[InstanceRow, ...]
    count: Bounded
    next: str | None
    short: bool


def search_instances(
    tenant: str,
    chosen: InstanceFilter,
    *,
    variables: tuple[VariableCondition, ...] = (),
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
    stretch: int = STRETCH,
) -> Found:
    """Return matching instances, newest first. Three statements.

    Raises:
        CursorInvalid: the cursor is not one of this list.
    """
    mine = of_seen_processes(ProcessInstance.objects.filter(tenant=tenant), "definition_key")
    listed = narrowed(mine, _listable(chosen))
    if cursor is not None:
        listed = listed.filter(id__lt=_CURSORS.read_id(cursor))
    last = _end_of_stretch(listed, stretch)
    rows = narrowed(listed, chosen)
    if last is not None:
        rows = rows.filter(id__gte=last)
    for condition in variables:
        rows = rows.filter(_has(condition))
    items = tuple(InstanceRow(*row) for row in rows.order_by("-id").values_list(*FIELDS)[: limit + 1])
    count = bounded_count(rows)
    if len(items) > limit:
        return Found(items[:limit], count, _CURSORS.write(items[limit - 1].instance_id), False)
    return Found(items, count, None if last is None else _CURSORS.write(last), last is not None)


def _listable(chosen: InstanceFilter) -> InstanceFilter:
    """Return the part of a filter by which an index lists instances in order of their ids."""
    return InstanceFilter(
        process_def_id=chosen.process_def_id if chosen.running else None,
        definition_id=chosen.definition_id,
        business_key=chosen.business_key,
        running=chosen.running
        or chosen.node is not None
        or chosen.status in ("RUNNING", "SUSPENDED")
        or None,
        status=chosen.status if chosen.status == "FAILED" else None,
        parent_instance_id=chosen.parent_instance_id,
        started_from=chosen.started_from,
        started_before=chosen.started_before,
    )


def _end_of_stretch(listed: QuerySet[ProcessInstance], stretch: int) -> UUID | None:
    """Return the last id of the stretch, None where the list ends within it."""
    return listed.order_by("-id").values_list("id", flat=True)[stretch - 1 : stretch].first()


def _has(condition: VariableCondition) -> Exists:
    found = Variable.objects.filter(instance=OuterRef("pk"), name=condition.name)
    if not condition.any_value:
        found = found.filter(value=to_text(condition.value))
    return Exists(found)
