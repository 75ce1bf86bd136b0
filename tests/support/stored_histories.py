"""Histories that were stored by earlier releases, and what they led to (`tests/histories`).

A file is an export of one instance, followed by one line with the state that its tables then held. The files stay as
they are: a later release must still fold them. To add some, for new types of events or a new release:

    COLLECT_HISTORIES=folder pytest tests/semantics tests/db/test_erasure.py tests/db/test_stored_histories.py
    python -m tests.support.stored_histories folder

The second command keeps what is there and adds, of the collected ones, as few as show every type of event.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from bpm.core.state import TABLES, Instance, State
from bpm.core.values import from_text, to_text

FOLDER = Path(__file__).resolve().parents[1] / "histories"
_OUTSIDE = ("revision", "head")


class StoredHistory(NamedTuple):
    """One file: the lines of the export, and the state."""

    name: str
    lines: list[str]
    state: dict[str, Any]

    @property
    def types(self) -> set[str]:
        """Types of its events."""
        return {json.loads(line)["event_type"] for line in self.lines[1:-1]}


def read_histories(folder: Path = FOLDER) -> Iterator[StoredHistory]:
    """Yield the files in the order of their names."""
    for path in sorted(folder.glob("*.jsonl")):
        *lines, state = path.read_text(encoding="utf-8").splitlines(keepends=True)
        yield StoredHistory(path.stem, lines, from_text(state)["state"])


def state_values(state: State) -> dict[str, Any]:
    """Return a state as JSON values: the instance, and of each table the rows by key."""
    instance = {
        field.name: getattr(state.instance, field.name)
        for field in fields(Instance)
        if field.name not in _OUTSIDE
    }
    tables = {
        name: {
            ":".join(key) if isinstance(key, tuple) else key: row._asdict()
            for key, row in getattr(state, name).items()
        }
        for name in TABLES
    }
    found: dict[str, Any] = from_text(to_text({"instance": instance, **tables}))
    return found


def collect(name: str, lines: list[str], state: State) -> None:
    """Write a history where the environment says where to; otherwise do nothing."""
    folder = os.environ.get("COLLECT_HISTORIES")
    if folder:
        path = Path(folder) / f"{name}.jsonl"
        path.write_text("".join(lines) + to_text({"state": state_values(state)}) + "\n", encoding="utf-8")


def _add(collected: Path) -> None:
    FOLDER.mkdir(exist_ok=True)
    missing = set().union(*(history.types for history in read_histories(collected)))
    missing -= set().union(*(history.types for history in read_histories()))
    rest = [history for history in read_histories(collected) if len(history.lines) < 400]
    while missing:
        best = max(rest, key=lambda history: (len(history.types & missing), -len(history.lines)))
        if not best.types & missing:
            sys.exit(f"no short history has {', '.join(sorted(missing))}")
        missing -= best.types
        text = "".join(best.lines) + to_text({"state": best.state}) + "\n"
        (FOLDER / f"{best.name}.jsonl").write_text(text, encoding="utf-8")
        print(best.name, len(best.lines))


if __name__ == "__main__":
    _add(Path(sys.argv[1]))
