"""Answers about the starts that wait at a version, as they go over the wire."""

from __future__ import annotations

from typing import TypedDict


class StartChanged(TypedDict):
    """A start that waits, or waited, at a version; `due_at` of a timer."""

    start_id: str
    definition_id: str
    process_def_id: str
    node_id: str
    kind: str
    due_at: str | None


class StartTriggered(StartChanged):
    """The same with the instance that was started."""

    instance_id: str
    status: str
    business_key: str | None
    continuing: bool
