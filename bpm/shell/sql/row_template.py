"""Rows as JSON texts with places for what is different each time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class Template(NamedTuple):
    """A text with `%s` for what is different each time.

    Attributes:
        values: gives the arguments, one text or a tuple; None where there is nothing to fill in.
    """

    text: str
    values: Callable[[list[Any]], Any] | None

    def fill(self, values: list[Any]) -> str:
        """Return the text with its values."""
        return self.text if self.values is None else self.text % self.values(values)

    def fill_all(self, many: Sequence[list[Any]]) -> list[str]:
        """Return the text with each of the values."""
        text, arguments = self
        if arguments is None:
            return [text] * len(many)
        return [text % arguments(values) for values in many]


class RowTemplate(NamedTuple):
    """One row that is written in the same way for many instances.

    Attributes:
        part: of the document (bpm.shell.sql.document).
        new: whether it is inserted.
        full: all columns.
        narrow: those that an update looks at.
    """

    part: str
    new: bool
    full: Template
    narrow: Template
