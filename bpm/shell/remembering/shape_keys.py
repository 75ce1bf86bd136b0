"""What tells one shape from another.

A shape holds only what is live, like a working set that has just been read: what is over decides nothing. Ids and times
are numbered in the order in which they come up, and the key says which is the smaller one, so that two instances of
one shape cannot be told apart by anything that compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from itertools import chain
from typing import Any, Final, NamedTuple

from bpm.core.ids import NIL, Id
from bpm.core.rows import ScopeStatus
from bpm.core.state import TABLES, Instance, State
from bpm.core.values import to_text
from bpm.shell.columns import UUID
from bpm.shell.table_spec import TableSpec
from bpm.shell.tables import SPECS

MAX_ROWS: Final = 64
"""Rows of an instance that has a shape; what is larger seldom stands twice alike."""

MAX_CHARACTERS: Final = 4_000
"""In the texts of an instance that a shape does not leave open, such as names, topics and errors."""

_GROUPS: Final = "groups"
"""The one JSON field with ids in it: node to the id of a group of parallel tokens."""

IDS: Final = ("id", "parent_instance", "parent_token", "root")
TIMES: Final = ("started_at", "updated_at")

_APART: Final = frozenset(
    {*IDS, *TIMES, "business_key", "sequence", "revision", "head", "passes", "ended_at"}
)
LITERAL: Final = tuple(spec.name for spec in fields(Instance) if spec.name not in _APART)
"""Fields of the instance that belong to its shape as they are. Of those apart the last two are empty in every shape."""

PLACE: Final = "\x00"
"""Stands around the number of an id inside a JSON text."""

Cells = tuple[Any, ...]
"""A row with numbers in place of its ids, times and values, and its JSON fields as texts."""


class Counts(NamedTuple):
    """How many values of each kind a shape leaves open; they stand in this order."""

    ids: int
    times: int
    texts: int


class Key(NamedTuple):
    """What tells one shape from another."""

    instance: Cells
    rows: tuple[tuple[str, Cells], ...]
    counts: Counts
    id_ranks: tuple[int, ...]
    time_ranks: tuple[int, ...]


class _Numbers:
    """Numbers for what a shape leaves open, in the order in which it comes up."""

    def __init__(self) -> None:
        self.ids: dict[Id, int] = {}
        self.times: dict[datetime, int] = {}
        self.texts: list[str] = []

    def id(self, value: Id | None) -> Any:
        """Return the number of an id; NIL and None are what they are."""
        return value if value is None or value == NIL else self.ids.setdefault(value, len(self.ids))

    def time(self, value: datetime | None) -> int | None:
        """Return the number of a time."""
        return None if value is None else self.times.setdefault(value, len(self.times))

    def text(self, value: str | None) -> int | None:
        """Return the number of a user's text; each is one of its own."""
        if value is None:
            return None
        self.texts.append(value)
        return len(self.texts) - 1

    def groups(self, value: Mapping[str, Id]) -> str:
        """Return the JSON text of groups, with places for their ids."""
        if not value:
            return ""
        numbers = {node: self.id(group) for node, group in sorted(value.items())}
        return to_text({node: at if at == NIL else f"{PLACE}{at}{PLACE}" for node, at in numbers.items()})

    def instance(self, instance: Instance) -> Cells:
        """Return the cells of an instance's own row."""
        return (
            tuple(getattr(instance, name) for name in LITERAL),
            tuple(self.id(getattr(instance, name)) for name in IDS),
            tuple(self.time(getattr(instance, name)) for name in TIMES),
            self.text(instance.business_key),
        )

    def row(self, spec: TableSpec, row: Any) -> Cells:
        """Return the cells of a row."""
        cells = list(row)
        for position, number in _numbered(spec):
            cells[position] = number(self, cells[position])
        return tuple(cells)


def shape_key(state: State) -> tuple[Key, tuple[Any, ...]] | None:
    """Return what tells an instance's shape from others, and the values that it leaves open.

    None where it has none: it is not here as a whole, is large, is over or failed, or a continuation is under way.
    Whatever is over must not count here: it is in the working set of one instance, and not in that of another.
    """
    instance = state.instance
    if not state.everything or instance.passes or instance.ended or instance.incidents:
        return None
    live = list(_live_rows(state)) if instance.live <= MAX_ROWS else []
    if not live or len(live) > MAX_ROWS:
        return None
    numbers = _Numbers()
    own = numbers.instance(instance)
    rows = tuple([(name, numbers.row(SPECS[name], row)) for name, row in live])
    if sum([len(cell) for _, cells in rows for cell in cells if type(cell) is str]) > MAX_CHARACTERS:
        return None
    ids, times = list(numbers.ids), list(numbers.times)
    counts = Counts(len(ids), len(times), len(numbers.texts))
    key = Key(own, rows, counts, _ranks(ids), _ranks(times))
    return key, (*ids, *times, *numbers.texts)


def _ranks(values: Sequence[Any]) -> tuple[int, ...]:
    return tuple(sorted(range(len(values)), key=values.__getitem__))


def _live_rows(state: State) -> Iterable[tuple[str, Any]]:
    return chain.from_iterable(_live_of(state, name) for name in TABLES)


def _live_of(state: State, name: str) -> list[tuple[str, Any]]:
    table = getattr(state, name)
    return [(name, table[key]) for key in sorted(table) if is_live(name, table[key])] if table else []


def is_live(table: str, row: Any) -> bool:
    """Return whether a row is not over, as `TableSpec.live` says in SQL."""
    if table == "tokens":
        return not row.final
    if table == "scopes":
        return row.status is ScopeStatus.ACTIVE
    if table in ("joins", "variables"):
        return True
    return table != "comments" and row.closed_at is None


def _json_cell(field: str) -> Callable[[_Numbers, Any], str]:
    if field == _GROUPS:
        return _Numbers.groups
    return lambda _, value: to_text(value) if value else ""


_numbering: dict[str, list[tuple[int, Callable[[_Numbers, Any], Any]]]] = {}


def _numbered(spec: TableSpec) -> list[tuple[int, Callable[[_Numbers, Any], Any]]]:
    """Return the positions of a row's fields that a shape leaves open, and how they are numbered."""
    found = _numbering.get(spec.name)
    if found is None:
        found = [(position, _Numbers.id) for position in spec.positions(UUID)]
        found += [(position, _Numbers.time) for position in spec.time_positions]
        found += [(position, _json_cell(spec.fields[position])) for position in spec.json_positions]
        if spec.name == "variables":
            found.append((spec.fields.index("value"), _Numbers.text))
        _numbering[spec.name] = found = sorted(found, key=lambda one: one[0])
    return found
