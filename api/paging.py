"""Query parameters of lists."""

from __future__ import annotations

from typing import Any, Final

from api.kinds import Text, Whole
from api.shapes import Field, Query
from bpm.queries.page import DEFAULT_LIMIT, MAX_LIMIT

MAX_CURSOR: Final = 2_000
"""Holds the longest key of a process, each character of four bytes, in the text of a cursor."""


def list_query(*, default_limit: int = DEFAULT_LIMIT, **fields: Field) -> Query:
    """Return the parameters of a list: those given, `limit` and `cursor`."""
    limit = Field(
        Whole(1, MAX_LIMIT), default=default_limit, about=f"items per page, {default_limit} unless said"
    )
    cursor = Field(Text(1, MAX_CURSOR), about="`next` of the page before")
    return Query(**fields, limit=limit, cursor=cursor)


def split_page(values: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the filters, and limit and cursor."""
    filters = {name: value for name, value in values.items() if name not in ("limit", "cursor")}
    return filters, {"limit": values["limit"], "cursor": values["cursor"]}
