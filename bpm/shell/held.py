"""An instance in the hands of a command: its working set, or what stands for it until somebody looks into it."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from bpm.core.ids import Id, IdSource
from bpm.core.state import Instance, Journal, State
from bpm.shell.remembering.shapes import Shaped
from bpm.shell.sql.queries import INSTANCES


class Blank(NamedTuple):
    """An instance that is about to start.

    Attributes:
        ids: the command's source of ids, of which `id` is the first.
    """

    id: Id
    updated_at: datetime
    ids: IdSource
    sequence: int = -1

    def open(self) -> State:
        """Return its working set, with nothing in it."""
        return State(Instance(id=self.id, updated_at=self.updated_at), everything=True)


Held = State | Shaped | Blank

Known = State | Shaped
"""What may be kept from one command to the next."""


def stand_of(known: Known) -> Instance | Shaped:
    """Return what says whose working set it is, and where its history stands."""
    return known if isinstance(known, Shaped) else known.instance


def stands(known: Known, revision: int, head: str) -> bool:
    """Return whether a working set is of what is stored: two histories of one length still have different hashes."""
    stand = stand_of(known)
    return stand.revision == revision and stand.head == head


def has_row(known: Known, table: str, row: Id) -> bool:
    """Return whether a working set has a row that a command names; the instance's own row is in every one."""
    if isinstance(known, Shaped):
        return known.shape.has(known.values, table, row)
    return row == known.instance.id if table == INSTANCES else row in getattr(known, table)


def made_in(journal: Journal) -> list[Id]:
    """Return the ids of new rows; what has another key, such as a variable, has none."""
    return [key for _, key, old in journal if old is None and type(key) is str]
