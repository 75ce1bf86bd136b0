"""From what commands did to an instance to the rows of a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpm.core import events as e
from bpm.core.rows import UserTask
from bpm.core.state import State
from bpm.shell.codec import instance_row, row_values
from bpm.shell.history import history_row
from bpm.shell.sql.document import CANDIDATES, CHANGED, HISTORY, REMOVED, STARTED, WITHDRAWN, Document
from bpm.shell.sql.row_template import Mode
from bpm.shell.table_spec import TableSpec
from bpm.shell.tables import SPECS

_ABOUT_DUE: set[type[e.Event]] = {e.InstanceSuspended, e.InstanceActivated, e.InstanceCancelled}
"""After which an instance may be suspended that was not before, or the other way round."""


def add_to_document(
    document: Document, state: State, events: list[tuple[e.Event, str]], *, new: bool
) -> None:
    """Add one instance's changes.

    Args:
        events: what happened, each with its actor; at least one.
        new: whether the instance is inserted.
    """
    instance = state.instance
    assert instance.updated_at is not None, "every event sets it"
    first = instance.sequence - len(events) + 1
    history, head = history_row(instance.id, first, instance.updated_at, events, instance.head)
    rows = document.rows
    row = instance_row(instance, head)
    if new:
        document.put(STARTED, row, "insert")
    else:
        document.put(CHANGED, [*row, instance.head], "update")
    instance.head = head
    rows[HISTORY].append(history)
    changes = state.changes()
    about_due = not _ABOUT_DUE.isdisjoint({type(event) for event, _ in events})
    for name, before in changes.items():
        spec = SPECS[name]
        table = getattr(state, name)
        for key, old in before.items():
            present = table.get(key)
            if present is None:
                if old is not None:
                    rows[REMOVED].append([instance.id, *key])
            elif present != old:
                mode = _mode(spec, old, present, about_due=about_due)
                document.put(name, row_values(spec, present, instance), mode)
                if name == "user_tasks":
                    _add_candidates(document, instance.id, old, present)
    if about_due:
        _add_due(document, state, changes)


def _add_due(document: Document, state: State, changes: Mapping[str, Mapping[Any, Any]]) -> None:
    """Add the rows that did not change themselves, but leave the due indexes or come back to them."""
    for name, spec in SPECS.items():
        if spec.suspendable:
            written = changes.get(name, {})
            for key, row in getattr(state, name).items():
                if row.closed_at is None and (key not in written or row == written[key]):
                    document.put(name, row_values(spec, row, state.instance), "update")


def _mode(spec: TableSpec, old: Any, new: Any, *, about_due: bool) -> Mode:
    """Return how a row is written.

    Args:
        about_due: whether the instance may be suspended or no longer be, which the rows of some tables say as well.
    """
    if old is None:
        return "insert"
    return "usual" if not about_due and spec.changes_usually(old, new) else "update"


def _add_candidates(document: Document, instance: str, old: UserTask | None, new: UserTask) -> None:
    before = _candidates(old) if old is not None else []
    after = _candidates(new)
    for part, rows, others in ((CANDIDATES, after, before), (WITHDRAWN, before, after)):
        for kind, name in rows:
            if (kind, name) not in others:
                document.rows[part].append([new.id, instance, kind, name])


def _candidates(task: UserTask) -> list[tuple[str, str]]:
    users = [("user", name) for name in task.candidate_users]
    return users + [("group", name) for name in task.candidate_groups]
