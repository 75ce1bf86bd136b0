"""Counts that never cost more than their bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

BOUND: Final = 1_000


@dataclass(frozen=True, slots=True)
class Bounded:
    """How many there are, up to a bound; `more`: there are more than `count`."""

    count: int
    more: bool

    def __bool__(self) -> bool:
        return self.count > 0


def bounded_count(rows: QuerySet[Any], bound: int = BOUND) -> Bounded:
    """Count rows, but look at no more than `bound` and one of them. One statement."""
    found = rows.order_by().values_list("pk")[: bound + 1].count()
    return Bounded(min(found, bound), found > bound)
