"""Kinds of columns, and the columns of tables that are no rows of a state."""

from __future__ import annotations

from typing import Final

UUID = "uuid"
TEXT = "text"
INT = "bigint"
BOOL = "boolean"
TIME = "timestamptz"
JSON = "json"
"""Kinds of columns. JSON is text in the table, a mapping or tuple in the row."""

INSTANCE_COLUMNS: Final[tuple[tuple[str, str], ...]] = (
    ("id", UUID),
    ("tenant", TEXT),
    ("definition_id", UUID),
    ("definition_key", TEXT),
    ("business_key", TEXT),
    ("status", TEXT),
    ("parent_instance", UUID),
    ("parent_token", UUID),
    ("root", UUID),
    ("suspended_because", TEXT),
    ("live", INT),
    ("failed", INT),
    ("passive", INT),
    ("incidents", INT),
    ("conditions", INT),
    ("last_sequence", INT),
    ("passes", TEXT),
    ("started_at", TIME),
    ("ended_at", TIME),
    ("updated_at", TIME),
    ("revision", INT),
    ("head", TEXT),
)
"""Columns of the instance's own row, in the order of `bpm.core.state.Instance`."""

HEAD_BEFORE: Final = len(INSTANCE_COLUMNS)
"""Behind these columns, the row of an instance that is changed has the head that was read: the hash of the newest event
stands for the whole history, so whoever knows it has decided by what is stored."""

CHANGING_COLUMNS: Final[frozenset[str]] = frozenset(
    {
        "definition_id",
        "definition_key",
        "status",
        "suspended_because",
        "live",
        "failed",
        "passive",
        "incidents",
        "conditions",
        "last_sequence",
        "passes",
        "ended_at",
        "updated_at",
        "revision",
        "head",
    }
)
"""Columns of the instance that a command may change."""

USUAL_COLUMNS: Final = frozenset(
    {"status", "live", "passive", "last_sequence", "ended_at", "updated_at", "revision", "head"}
)
"""Those of them that nearly all commands change, and most no other."""

HISTORY_COLUMNS: Final[tuple[tuple[str, str], ...]] = (
    ("instance_id", UUID),
    ("sequence", INT),
    ("occurred_at", TIME),
    ("event_type", TEXT),
    ("category", TEXT),
    ("token", UUID),
    ("node", TEXT),
    ("actor", TEXT),
    ("final", BOOL),
    ("payload", TEXT),
    ("salt", TEXT),
    ("hash", TEXT),
)
"""Columns of a new history row. A document has one row per instance: its id, the first event's sequence, the time that
all of them share, and a list of rows of the other columns."""

CANDIDATE_COLUMNS: Final[tuple[tuple[str, str], ...]] = (
    ("task", UUID),
    ("instance_id", UUID),
    ("kind", TEXT),
    ("name", TEXT),
)
"""Columns of a user task's candidate."""

OUTBOX_COLUMNS: Final[tuple[tuple[str, str], ...]] = (
    ("tenant", TEXT),
    ("source", UUID),
    ("target", UUID),
    ("command", TEXT),
    ("payload", TEXT),
    ("attempts", INT),
    ("available_at", TIME),
    ("created_at", TIME),
)
"""Columns of a new row of the outbox."""

SIGNAL_COLUMNS: Final[tuple[tuple[str, str], ...]] = (
    ("tenant", TEXT),
    ("source", UUID),
    ("name", TEXT),
    ("variables", TEXT),
    ("available_at", TIME),
    ("created_at", TIME),
)
"""Columns of a signal on its way to all that wait for it."""
