"""Rows by a set that may be small or large, found from the small side.

Of two ways to a sorted first page the planner, which sees no values, always takes the one that is good where a set is
large: it goes through everything in order until a page is full. Where the set is small that never happens, so it is
asked for beforehand, and a small one is made to lead.
"""

from __future__ import annotations

from typing import Any, Final

from django.db.models import BooleanField, Expression, F, Func, QuerySet, Subquery
from django.db.models.sql.compiler import SQLCompiler

FEW: Final = 10_000
"""Up to so many members a set leads to the rows."""


class Among(Func):
    """The condition that a column is one of what a subquery of one column returns, which is run first."""

    output_field: Any = BooleanField()
    template = "%(column)s IN %(members)s"

    def __init__(self, column: str, members: QuerySet[Any]) -> None:
        super().__init__(F(column), Subquery(members))

    def as_sql(  # type: ignore[override]
        self, compiler: SQLCompiler, connection: Any, template: str | None = None, **_extra: Any
    ) -> tuple[str, list[Any]]:
        """Return the condition."""
        sources: list[Expression] = self.get_source_expressions()
        (column, first), (members, others) = (compiler.compile(source) for source in sources)
        text = (template or self.template) % {"column": column, "members": members}
        return text, [*first, *others]

    def as_postgresql(self, compiler: SQLCompiler, connection: Any, **_extra: Any) -> tuple[str, list[Any]]:
        """Return the condition over an array, which the planner takes for a few values."""
        return self.as_sql(compiler, connection, template="%(column)s = ANY(ARRAY%(members)s)")


def is_few(members: QuerySet[Any]) -> bool:
    """Return whether a set is small. One statement, which looks at no more than FEW and one of its members."""
    return members.order_by()[: FEW + 1].count() <= FEW
