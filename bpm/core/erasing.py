"""What personal data an event can lose, and what is left of it (semantics §10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from bpm.core import events as e
from bpm.core.state import State


class Erasable(NamedTuple):
    """What is erasable of one class of events.

    Attributes:
        fields: those that are values or free text.
        table: attribute of `State` with the rows in which they stand; empty: in none.
        key: fields that make the row's key.
    """

    fields: tuple[str, ...]
    table: str = ""
    key: tuple[str, ...] = ()

    def key_of(self, values: Mapping[str, Any]) -> Any:
        """Return the key of the row."""
        return values[self.key[0]] if len(self.key) == 1 else tuple(values[name] for name in self.key)


ERASABLE: Final[Mapping[str, Erasable]] = {
    e.VariableSet.__name__: Erasable(("value",), "variables", ("scope", "name")),
    e.IncidentDescribed.__name__: Erasable(("message",), "incidents", ("incident",)),
    e.ExternalTaskErrorNoted.__name__: Erasable(("error", "details"), "external_tasks", ("task",)),
    e.JobResultKept.__name__: Erasable(("result",), "jobs", ("job",)),
    e.JobErrorNoted.__name__: Erasable(("error",), "jobs", ("job",)),
    e.CommentWritten.__name__: Erasable(("message",), "comments", ("comment",)),
    e.SagaReasonNoted.__name__: Erasable(("message",)),
}
"""Event type to what is erasable of it: every class that is marked `erasable`."""

_BLANK: Final[Mapping[str, Mapping[str, Any]]] = {
    e.IncidentDescribed.__name__: {"message": ""},
    e.ExternalTaskErrorNoted.__name__: {"error": None, "error_details": None},
    e.JobResultKept.__name__: {"kept": None},
    e.JobErrorNoted.__name__: {"error": None},
    e.CommentWritten.__name__: {"message": ""},
}


def blank_row(state: State, event_type: str, kept: Mapping[str, Any]) -> None:
    """Take the value of an event out of its row: a variable goes, a text becomes blank."""
    erasable = ERASABLE[event_type]
    if not erasable.table:
        return
    table = getattr(state, erasable.table)
    key = erasable.key_of(kept)
    row = table.get(key)
    if row is None:
        return
    changes = _BLANK.get(event_type)
    state.put(table, key, None if changes is None else row._replace(**changes))
