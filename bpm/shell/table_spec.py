"""How one kind of row stands in its table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import Any

from bpm.shell.columns import BOOL, JSON, TEXT, TIME, UUID


@dataclass(frozen=True, kw_only=True, eq=False)
class TableSpec:
    """One table of a state.

    Attributes:
        name: attribute of `State`.
        table: database table.
        row: the row class; its fields are the first columns, under the same names.
        kinds: field to kind; fields not named are TEXT.
        enums: field to the enumeration its text is turned into.
        tenant: whether the table has the instance's tenant.
        suspendable: whether the table says that the instance is suspended, so that the row is not due.
        key: columns of the primary key.
        usual: fields that nearly all changes of a row are about, and most of no other.
        live: condition of rows that are not over.
    """

    name: str
    table: str
    row: type[Any]
    kinds: Mapping[str, str]
    enums: Mapping[str, type[Any]] = field(default_factory=dict)
    tenant: bool = False
    suspendable: bool = False
    key: tuple[str, ...] = ("id",)
    usual: tuple[str, ...] = ()
    live: str

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """Fields of the row, in order."""
        return tuple(self.row._fields)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Columns in the order of a written array: the fields, then those of the instance."""
        return (*self.fields, "instance_id", *self._of_instance)

    @cached_property
    def changing(self) -> tuple[str, ...]:
        """Columns that a write may change."""
        own = tuple(name for name in self.fields if name not in self.key)
        return (*own, "suspended") if self.suspendable else own

    def changes_usually(self, old: Any, new: Any) -> bool:
        """Return whether two versions of a row differ in nothing but the usual fields."""
        return bool(self.usual) and self._seldom(old) == self._seldom(new)

    @cached_property
    def _seldom(self) -> Callable[[Any], Any]:
        return itemgetter(*(at for at, name in enumerate(self.fields) if name not in self.usual))

    @cached_property
    def _of_instance(self) -> tuple[str, ...]:
        return (*(("tenant",) if self.tenant else ()), *(("suspended",) if self.suspendable else ()))

    @cached_property
    def column_kinds(self) -> tuple[str, ...]:
        """Kind of each of `columns`."""
        kinds = {**self.kinds, "instance_id": UUID, "suspended": BOOL}
        return tuple(kinds.get(column, TEXT) for column in self.columns)

    @cached_property
    def json_positions(self) -> tuple[int, ...]:
        """Positions of the JSON fields."""
        return self.positions(JSON)

    @cached_property
    def time_positions(self) -> tuple[int, ...]:
        """Positions of the times."""
        return self.positions(TIME)

    def positions(self, kind: str) -> tuple[int, ...]:
        """Return the positions of the fields of a kind."""
        return tuple(index for index, name in enumerate(self.fields) if self.kinds.get(name) == kind)
