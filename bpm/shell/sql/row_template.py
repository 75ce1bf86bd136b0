"""Rows as JSON texts with places for what is different each time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

Mode = Literal["insert", "usual", "update", "upsert"]
"""How rows are written. `usual` is an update of what nearly all changes of such a row are about, and nothing else."""


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
        mode: how it has to be written at least.
        texts: for each mode in which it may be written.
    """

    part: str
    mode: Mode
    texts: Mapping[Mode, Template]
