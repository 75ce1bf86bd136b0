"""How expressions see variables: from a scope outwards (semantics §9)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bpm.core.ids import Id
from bpm.core.rows import Scope as ScopeRow
from bpm.core.state import State
from bpm.core.values import from_text, is_hidden


class ScopeLookup:
    """Variables as seen from one scope; implements the `Scope` protocol of `bpm.core.expressions`."""

    __slots__ = ("_scope", "_state", "now")

    def __init__(self, state: State, scope: Id, now: datetime) -> None:
        self._state = state
        self._scope = scope
        self.now = now

    def lookup(self, name: str) -> Any:
        """Return the value of the nearest variable of that name.

        Raises:
            KeyError: no scope outwards has it.
            Missing: it may be stored but was not loaded.
        """
        for scope in self._state.chain(self._scope):
            found = self._state.variable(scope.id, name)
            if found is not None:
                return from_text(found.value)
        raise KeyError(name)


class BoundLookup:
    """A lookup with names of its own before those of another one."""

    __slots__ = ("_bound", "_inner", "now")

    def __init__(self, inner: ScopeLookup | BoundLookup, bound: Mapping[str, Any]) -> None:
        self._inner = inner
        self._bound = bound
        self.now: datetime = inner.now

    def lookup(self, name: str) -> Any:
        """Return a value; raises as the other one."""
        return self._bound[name] if name in self._bound else self._inner.lookup(name)


def owner_of(state: State, scope: Id, name: str) -> Id:
    """Return the nearest scope outwards that has the variable, else the process's own scope.

    Raises:
        Missing: it may be stored but was not loaded.
    """
    outermost: ScopeRow | None = None
    for row in state.chain(scope):
        if state.variable(row.id, name) is not None:
            return row.id
        outermost = row
    return outermost.id if outermost is not None else scope


Values = Mapping[Id, Mapping[str, str]]
"""Scope to the names and JSON texts of its variables."""


def values_by_scope(state: State) -> Values:
    """Return all variables that are here."""
    found: dict[Id, dict[str, str]] = {}
    for (owner, name), row in state.variables.items():
        if owner not in found:
            found[owner] = {}
        found[owner][name] = row.value
    return found


def visible_variables(state: State, scope: Id, values: Values | None = None) -> dict[str, Any]:
    """Return all variables as seen from a scope, inner ones before outer ones of the same name.

    Args:
        values: `values_by_scope`, for who asks for several scopes.

    Raises:
        Missing: some may be stored but were not loaded.
    """
    if values is None:
        values = values_by_scope(state)
    found: dict[str, str] = {}
    for row in state.chain(scope):
        state.require_variables(row.id)
        if row.id in values:
            found = {**values[row.id], **found}
    return {name: from_text(value) for name, value in sorted(found.items()) if not is_hidden(name)}


def own_variables(state: State, scope: Id) -> dict[str, Any]:
    """Return the variables of exactly this scope.

    Raises:
        Missing: some may be stored but were not loaded.
    """
    state.require_variables(scope)
    rows = (row for (owner, _), row in state.variables.items() if owner == scope)
    return {row.name: from_text(row.value) for row in sorted(rows, key=lambda row: row.name)}
