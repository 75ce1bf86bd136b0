"""The scopes between the process and a place in it, and which of them are there already."""

from __future__ import annotations

from typing import NamedTuple

from bpm.core.errors import Invalid
from bpm.core.graph import Activity, Graph, MultiInstance, Node
from bpm.core.ids import Id
from bpm.core.layers import ACTIVITY, BODY, LAYERS, UNDOING
from bpm.core.rows import Scope, ScopeStatus
from bpm.core.state import State


class Level(NamedTuple):
    """One of the scopes around a place: the inside of a subprocess (or the process), or a multi-instance body."""

    node: str
    body: bool = False


class Base(NamedTuple):
    """Where starting begins: a scope that is there, and the levels that are entered from it, outermost first."""

    scope: Id
    missing: tuple[Level, ...]


def levels_of(graph: Graph, node: Node, *, instance: bool) -> list[Level]:
    """Return the levels around a node, outermost first.

    Args:
        instance: one instance of a multi-instance node is meant, so that its body is around it.
    """
    levels = [Level(node.id, body=True)] if instance else []
    name = node.scope
    while name != graph.key:
        around = graph.nodes[name]
        levels.append(Level(name))
        if isinstance(around, Activity) and isinstance(around.loop, MultiInstance):
            levels.append(Level(name, body=True))
        name = around.scope
    levels.append(Level(graph.key))
    return levels[::-1]


def find_base(state: State, levels: list[Level], ancestor: Id | None) -> Base:
    """Return the nearest scope that is there, or the ancestor that was named.

    Raises:
        Invalid: there are several, or the ancestor is not around the place.
    """
    if ancestor is not None:
        return _named(state, levels, ancestor)
    for depth in range(len(levels) - 1, -1, -1):
        rows = _rows(state, levels[depth])
        if len(rows) > 1:
            raise Invalid(
                f"There are {len(rows)} scopes of {levels[depth].node}; say in which one (`ancestor`).",
                scopes=[row.id for row in rows],
            )
        if rows:
            return Base(rows[0].id, tuple(levels[depth + 1 :]))
    raise AssertionError("an instance that has not ended has its own scope")


def _named(state: State, levels: list[Level], ancestor: Id) -> Base:
    ancestor = _inside(state, ancestor)
    for depth, level in enumerate(levels):
        if any(row.id == ancestor for row in _rows(state, level)):
            return Base(ancestor, tuple(levels[depth + 1 :]))
    raise Invalid("The ancestor is no active scope around this place.", ancestor=ancestor)


def _inside(state: State, scope: Id) -> Id:
    """Return the scope inside a subprocess whose own scope, with its mappings, was named; else the one named."""
    row = state.scopes.get(scope)
    if row is None or row.kind != ACTIVITY:
        return scope
    inner = (
        one.id for one in state.scopes.values() if one.parent == scope and one.status is ScopeStatus.ACTIVE
    )
    return next(inner, scope)


def _rows(state: State, level: Level) -> list[Scope]:
    found = [
        row
        for row in state.scopes.values()
        if row.status is ScopeStatus.ACTIVE
        and row.node == level.node
        and (row.kind == BODY if level.body else row.kind not in LAYERS | UNDOING)
    ]
    return sorted(found, key=lambda row: row.id)
