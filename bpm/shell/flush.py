"""Writing what commands did: the document of changed rows and new events, and what a violated constraint means."""

from __future__ import annotations

from typing import Any

from bpm.core import events as e
from bpm.core.state import State
from bpm.shell.codec import instance_row, row_values
from bpm.shell.columns import CANDIDATE_COLUMNS, HISTORY_COLUMNS, INSTANCE_COLUMNS
from bpm.shell.history import history_rows
from bpm.shell.sql import Dialect
from bpm.shell.tables import SPECS

Document = dict[str, list[list[Any]]]

_INSTANCE_KINDS = tuple(kind for _, kind in INSTANCE_COLUMNS)
_HISTORY_KINDS = tuple(kind for _, kind in HISTORY_COLUMNS)
_CANDIDATE_KINDS = tuple(kind for _, kind in CANDIDATE_COLUMNS)
_ORDER = ("started", "changed", *SPECS, "history", "candidates", "removed")


def add_to_document(
    document: Document, sql: Dialect, state: State, events: list[tuple[e.Event, str]], *, new: bool
) -> None:
    """Add one instance's changes.

    Args:
        events: what happened, each with its actor; at least one.
        new: whether the instance is inserted.
    """
    instance = state.instance
    assert instance.updated_at is not None, "every event sets it"
    first = instance.sequence - len(events) + 1
    history, head = history_rows(instance.id, first, instance.updated_at, events, instance.head)
    row = sql.encode(_INSTANCE_KINDS, instance_row(instance, head))
    document.setdefault("started" if new else "changed", []).append(row)
    encode = sql.encode
    document.setdefault("history", []).extend(encode(_HISTORY_KINDS, event) for event in history)
    for name, before in state.changes().items():
        spec = SPECS[name]
        table = getattr(state, name)
        for key, old in before.items():
            present = table.get(key)
            if present is None:
                if old is not None:
                    removed = encode(("uuid", "uuid", "text"), [instance.id, *key])
                    document.setdefault("removed", []).append(removed)
            elif present != old:
                values = row_values(spec, present, instance)
                document.setdefault(name, []).append(encode(spec.column_kinds, values))
                if name == "user_tasks" and old is None:
                    _add_candidates(document, sql, instance.id, present)


def _add_candidates(document: Document, sql: Dialect, instance: str, task: Any) -> None:
    named = [("user", name) for name in task.candidate_users] + [
        ("group", name) for name in task.candidate_groups
    ]
    if named:
        document.setdefault("candidates", []).extend(
            sql.encode(_CANDIDATE_KINDS, [task.id, instance, kind, name]) for kind, name in named
        )


def write(document: Document, sql: Dialect, *, guarded: bool) -> int:
    """Write the document in the fixed order of tables; return how many instances were written."""
    ordered = {key: document[key] for key in _ORDER if key in document}
    return sql.write(ordered, guarded=guarded)
