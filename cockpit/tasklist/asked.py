"""What the address of the task list asks for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from django.http import QueryDict

from bpm.queries.task_list import SORTS, WHICH, Sort, TaskListFilter, Which

_MOST: Final = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A list of tasks; what the address does not say, or says wrongly, is its default."""

    which: Which
    sort: Sort
    process: str
    business_key: str
    text: str
    overdue: bool
    later: bool
    cursor: str

    def narrowed(self, now: datetime) -> TaskListFilter:
        """Return the filter; `later` shows what is to be followed up later, too."""
        return TaskListFilter(
            which=self.which,
            process_def_id=self.process or None,
            business_key=self.business_key or None,
            text=self.text or None,
            overdue_at=now if self.overdue else None,
            follow_up_at=None if self.later else now,
        )

    @property
    def is_narrowed(self) -> bool:
        """Whether filters are set."""
        return bool(self.process or self.business_key or self.text or self.overdue)

    def address(self, **changes: str) -> str:
        """Return the query of the same list with changes; a new list begins at its first page."""
        said = {
            "list": self.which,
            "sort": self.sort,
            "process": self.process,
            "business_key": self.business_key,
            "text": self.text,
            "overdue": "1" if self.overdue else "",
            "later": "1" if self.later else "",
            "cursor": "",
        }
        return "?" + urlencode({name: value for name, value in (said | changes).items() if value})


def read_asked(query: QueryDict) -> Asked:
    """Return what a query asks for."""
    return Asked(
        which=next((one for one in WHICH if one == query.get("list")), WHICH[0]),
        sort=next((one for one in SORTS if one == query.get("sort")), SORTS[0]),
        process=_text(query, "process"),
        business_key=_text(query, "business_key"),
        text=_text(query, "text"),
        overdue=query.get("overdue") == "1",
        later=query.get("later") == "1",
        cursor=query.get("cursor", "")[:1_000],
    )


def _text(query: QueryDict, name: str) -> str:
    return query.get(name, "").replace("\x00", "").strip()[:_MOST]
