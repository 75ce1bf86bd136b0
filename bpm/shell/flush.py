"""From what commands did to a document: changed rows and new events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpm.core import events as e
from bpm.core.state import State
from bpm.shell.codec import instance_row, row_values
from bpm.shell.history import history_rows
from bpm.shell.sql.document import CANDIDATES, CHANGED, HISTORY, REMOVED, STARTED, Document
from bpm.shell.tables import SPECS


def add_to_document(document: Document, state: State, events: list[tuple[e.Event, str]], *, new: bool) -> None:
    """Add one instance's changes.

    Args:
        events: what happened, each with its actor; at least one.
        new: whether the instance is inserted.
    """
    instance = state.instance
    assert instance.updated_at is not None, "every event sets it"
    first = instance.sequence - len(events) + 1
    history, head = history_rows(instance.id, first, instance.updated_at, events, instance.head)
    rows = document.rows
    rows[STARTED if new else CHANGED].append(instance_row(instance, head))
    rows[HISTORY] += history
    changes = state.changes()
    for name, before in changes.items():
        spec = SPECS[name]
        table = getattr(state, name)
        for key, old in before.items():
            present = table.get(key)
            if present is None:
                if old is not None:
                    rows[REMOVED].append([instance.id, *key])
            elif present != old:
                document.put(name, row_values(spec, present, instance), new=old is None)
                if name == "user_tasks" and old is None:
                    _add_candidates(document, instance.id, present)
    if any(isinstance(event, e.InstanceSuspended | e.InstanceActivated) for event, _ in events):
        _add_due(document, state, changes)


def _add_due(document: Document, state: State, changes: Mapping[str, Mapping[Any, Any]]) -> None:
    """Add the rows that did not change themselves, but leave the due indexes or come back to them."""
    for name, spec in SPECS.items():
        if spec.suspendable:
            written = changes.get(name, {})
            for key, row in getattr(state, name).items():
                if row.closed_at is None and (key not in written or row == written[key]):
                    document.put(name, row_values(spec, row, state.instance), new=False)


def _add_candidates(document: Document, instance: str, task: Any) -> None:
    named = {"user": task.candidate_users, "group": task.candidate_groups}
    for kind, names in named.items():
        for name in names:
            document.rows[CANDIDATES].append([task.id, instance, kind, name])
