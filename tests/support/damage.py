"""Ways to make a state wrong, for tests of what must notice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bpm.core.state import State

Damage = Callable[[State], None]


def changed_row(table: str, node: str, **changes: Any) -> Damage:
    """Return what changes the first row of a node that is not final."""

    def damage(state: State) -> None:
        rows = getattr(state, table)
        key = next(key for key, row in rows.items() if row.node == node and not getattr(row, "final", False))
        rows[key] = rows[key]._replace(**changes)

    return damage


def changed_instance(**changes: Any) -> Damage:
    """Return what changes the instance's own row."""

    def damage(state: State) -> None:
        for name, value in changes.items():
            setattr(state.instance, name, value)

    return damage
