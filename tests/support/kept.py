"""What this process knows of instances, versions and the clock without reading: checked, forgotten, made old."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bpm.core.ids import Id
from bpm.core.state import TABLES, State
from bpm.shell import definitions
from bpm.shell.database_clock import database_now
from bpm.shell.kept_sets import kept_sets
from bpm.shell.leases import habits
from bpm.shell.running_clock import running_clock
from bpm.shell.table_spec import TableSpec
from bpm.shell.tables import SPECS


def forget_all() -> None:
    """Let the next command read everything, as the first one of another process would."""
    kept_sets.clear()
    running_clock.forget()
    definitions.forget_versions()
    habits.knows, habits.races_again_at = False, 0.0


@contextmanager
def another_process() -> Iterator[None]:
    """Act as a process that knows nothing yet; what this one knew is old afterwards."""
    sets, owners, rows = kept_sets._sets.copy(), kept_sets._owners.copy(), kept_sets._rows
    large = kept_sets._large
    versions, read = definitions._known.copy(), running_clock._read
    forget_all()
    try:
        yield
    finally:
        forget_all()
        kept_sets._sets, kept_sets._owners, kept_sets._rows = sets, owners, rows
        kept_sets._large = large
        definitions._known.update(versions)
        running_clock._read = read


def know_the_time() -> None:
    """Let this process have read the clock just now."""
    running_clock.forget()
    running_clock.note(database_now())


def kept_differences(stored: State) -> list[str]:
    """Return how the working set that is kept of an instance differs from what is stored, ended rows included.

    Nothing where none is kept, or an older one: that is never written.
    """
    kept = look(stored.instance.id)
    if kept is None or kept.instance.revision != stored.instance.revision:
        return []
    found = [] if kept.instance == stored.instance else [f"instance: {kept.instance} for {stored.instance}"]
    for table in TABLES:
        spec, has, should = SPECS[table], getattr(kept, table), getattr(stored, table)
        found += [
            f"{table}: {row} for {should.get(key)}" for key, row in has.items() if should.get(key) != row
        ]
        found += [
            f"{table}: lacks {row}" for key, row in should.items() if key not in has and _live(spec, row)
        ]
    for key, tokens in stored.arrivals.items():
        if tokens != kept.arrivals.get(key, ()):
            found.append(f"arrivals at {key}: {kept.arrivals.get(key)} for {tokens}")
    for name, join in stored.newest_joins.items():
        if kept.newest_joins.get(name) != join:
            found.append(f"newest join of {name}: {kept.newest_joins.get(name)} for {join}")
    return found


def look(instance: Id) -> State | None:
    """Return the set that is kept of an instance, and leave it there."""
    large = kept_sets._large
    kept = kept_sets._sets.get(instance, large if kept_sets._is_large(instance) else None)
    if kept is None:
        return None
    return kept.known if isinstance(kept.known, State) else kept.known.open()


def _live(spec: TableSpec, row: Any) -> bool:
    """Return what the specification says in SQL."""
    if spec.live in ("true", "false"):
        return spec.live == "true"
    if spec.live == "NOT final":
        return not row.final
    assert spec.live.startswith("status "), spec.live
    return row.status in re.findall(r"'(\w+)'", spec.live)
