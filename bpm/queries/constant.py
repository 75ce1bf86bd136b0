"""Constants that stand in the statement's text instead of being parameters.

A partial index serves a statement only if the planner can prove its condition. With prepared, generic plans
it cannot prove anything from a parameter, so what matches an index condition must be written out.
"""

from __future__ import annotations

import re

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Expression, TextField
from django.db.models.sql.compiler import SQLCompiler

_WORD = re.compile(r"[A-Za-z]+")


class Constant(Expression):
    """One word of the engine's own vocabulary, such as a status; never anything from outside."""

    def __init__(self, word: str) -> None:
        if _WORD.fullmatch(word) is None:
            raise ValueError(f"{word!r}: only letters may stand in a statement's text")
        super().__init__(output_field=TextField())
        self.word = word

    def as_sql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper
    ) -> tuple[str, tuple[str | int, ...]]:
        """Return the quoted word, without parameters."""
        return f"'{self.word}'", ()


def constants(*words: str) -> list[Constant]:
    """Return several, for an `IN`."""
    return [Constant(word) for word in words]
