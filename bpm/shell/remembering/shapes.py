"""Shapes: instances as they stand, but for their ids, times and users' values."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from bpm.core.ids import Id
from bpm.core.state import Instance, State
from bpm.core.values import from_text
from bpm.shell.codec import adopt, holds_tuple
from bpm.shell.columns import TIME, UUID
from bpm.shell.remembering.shape_keys import IDS, LITERAL, TIMES, Cells, Counts, Key
from bpm.shell.sql.queries import INSTANCES
from bpm.shell.tables import SPECS

_PLACE: Final = re.compile(r"\\u0000([0-9]+)\\u0000")
"""`PLACE` in a JSON text."""


class Shape:
    """What instances of one shape have in common.

    Attributes:
        key: what tells it from others.
        counts: of what is left open: ids, times, then texts (the business key, values of variables as JSON).
        id_ranks, time_ranks: the numbers of ids and times, from the smallest to the largest.
        rows: how many there are, the instance's own aside.
    """

    def __init__(self, key: Key) -> None:
        self.key = key
        self.counts = key.counts
        self.id_ranks = key.id_ranks
        self.time_ranks = key.time_ranks
        literal, ids, times, business_key = key.instance
        self._literal: dict[str, Any] = dict(zip(LITERAL, literal, strict=True))
        self._own = _behind(IDS, ids, 0) | _behind(TIMES, times, key.counts.ids)
        self._own |= _behind(("business_key",), (business_key,), key.counts.ids + key.counts.times)
        self.tenant: str = self._literal["tenant"]
        self.definition: Id = self._literal["definition"]
        self.rows = len(key.rows)
        self._rows = [_opener(name, cells, key.counts) for name, cells in key.rows]
        places: dict[str, tuple[int, ...]] = {}
        for name, cells in key.rows:
            if name != "variables":
                places[name] = (*places.get(name, ()), cells[0])
        self._places = places
        behind = key.counts.ids + key.counts.times
        self._variables = [(cells[1], behind + cells[2]) for name, cells in key.rows if name == "variables"]

    def open(self, shaped: Shaped) -> State:
        """Return the working set of an instance of this shape."""
        values = shaped.values
        fields: dict[str, Any] = {name: None if at is None else values[at] for name, at in self._own.items()}
        fields |= {"sequence": shaped.sequence, "revision": shaped.revision, "head": shaped.head}
        state = State(Instance(**self._literal, **fields), everything=True)
        for put in self._rows:
            put(state, values)
        return state

    def as_before(self, values: Sequence[Any], name: str, text: str) -> tuple[int, ...]:
        """Return the numbers of an instance's variables that have this name, and this value already."""
        return tuple([at for known, at in self._variables if known == name and values[at] == text])

    def has(self, values: Sequence[Any], table: str, row: Id) -> bool:
        """Return whether an instance has a row that is live; its own row is in every one."""
        if table == INSTANCES:
            return bool(row == values[0])
        return any(values[place] == row for place in self._places.get(table, ()))


class Shaped(NamedTuple):
    """One instance of a shape: the working set that it stands for, in fewer words.

    Attributes:
        values: what the shape leaves open, in the order of `Shape.counts`; the first is the instance's id.
        updated_at: when the newest event happened.
        revision, sequence, head: as of `bpm.core.state.Instance`.
    """

    shape: Shape
    values: tuple[Any, ...]
    updated_at: datetime
    revision: int
    sequence: int
    head: str

    @property
    def id(self) -> Id:
        """The instance's id."""
        return self.values[0]  # type: ignore[no-any-return]

    @property
    def tenant(self) -> str:
        """The instance's tenant."""
        return self.shape.tenant

    @property
    def times(self) -> tuple[datetime, ...]:
        """The times that the shape leaves open."""
        ids, times, _ = self.shape.counts
        return self.values[ids : ids + times]

    @property
    def texts(self) -> tuple[str, ...]:
        """The business key and values of variables that the shape leaves open."""
        ids, times, _ = self.shape.counts
        return self.values[ids + times :]

    def open(self) -> State:
        """Return the working set."""
        return self.shape.open(self)

    def position(self, row: Id) -> int | None:
        """Return the number of an id, None where the instance has none like it."""
        try:
            return self.values.index(row, 0, self.shape.counts.ids)
        except ValueError:
            return None


def _behind(names: Sequence[str], numbers: Sequence[int | None], start: int) -> dict[str, int | None]:
    return {name: None if at is None else start + at for name, at in zip(names, numbers, strict=True)}


def _opener(name: str, cells: Cells, counts: Counts) -> Callable[[State, Sequence[Any]], None]:
    """Return what puts a row into the working set of an instance with these values."""
    spec = SPECS[name]
    behind = {UUID: 0, TIME: counts.ids}
    open_at = [
        (position, behind[kind] + cells[position])
        for kind in (UUID, TIME)
        for position in spec.positions(kind)
        if type(cells[position]) is int
    ]
    if name == "variables":
        position = spec.fields.index("value")
        open_at.append((position, counts.ids + counts.times + cells[position]))
    jsons = [(at, cells[at], holds_tuple(spec, at)) for at in spec.json_positions]
    make = spec.row._make

    def put(state: State, values: Sequence[Any]) -> None:
        row: list[Any] = list(cells)
        for position, at in open_at:
            row[position] = values[at]
        for position, text, is_tuple in jsons:
            row[position] = _json(text, values, is_tuple)
        adopt(state, name, make(row))

    return put


def _json(text: str, values: Sequence[Any], is_tuple: bool) -> Any:
    if not text:
        return () if is_tuple else {}
    value = from_text(_PLACE.sub(lambda found: str(values[int(found[1])]), text))
    return tuple(value) if is_tuple else value
