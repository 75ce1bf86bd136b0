"""Rebuilding a state from its history, and comparing states table by table."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import fields
from datetime import datetime
from typing import Any, NamedTuple

from bpm.core.events import Event
from bpm.core.evolve import evolve
from bpm.core.ids import Id
from bpm.core.state import TABLES, Instance, State

_OUTSIDE = ("revision", "head")
"""Fields of the instance that are the shell's, not part of the fold."""


class Recorded(NamedTuple):
    """One event of a history."""

    sequence: int
    event: Event
    at: datetime


def fold(instance: Id, history: Iterable[Recorded]) -> State:
    """Return the state that the history alone gives."""
    state = State(Instance(id=instance), everything=True)
    for recorded in history:
        evolve(state, recorded.event, recorded.at)
    return state


def copy_state(state: State) -> State:
    """Return an independent copy; rows are immutable and shared."""
    twin = State(copy(state.instance), everything=state.everything)
    for name in (*TABLES, "arrivals", "newest_joins"):
        getattr(twin, name).update(getattr(state, name))
    twin.known.update(state.known)
    return twin


def contents(state: State) -> dict[str, dict[Any, Any]]:
    """Return all that a fold must reproduce, by table and key."""
    instance = {
        field.name: getattr(state.instance, field.name)
        for field in fields(Instance)
        if field.name not in _OUTSIDE
    }
    tables = {name: dict(getattr(state, name)) for name in (*TABLES, "arrivals", "newest_joins")}
    return {"instance": instance, **tables}


def differences(left: State, right: State) -> list[str]:
    """Return where two states differ, one line per row."""
    found = []
    ours, theirs = contents(left), contents(right)
    for table, rows in ours.items():
        others = theirs[table]
        if rows == others:
            continue
        for key in rows.keys() | others.keys():
            if rows.get(key) != others.get(key):
                found.append(f"{table}[{key}]: {rows.get(key)} != {others.get(key)}")
    return found
