"""What events about migration change: the names of everything that is live."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from bpm.core import events as e
from bpm.core.evolve.scopes import count_inner
from bpm.core.evolve.tokens import count_in_scope
from bpm.core.rows import CompensationStatus, ScopeStatus
from bpm.core.state import State
from bpm.core.token import Token

_COMPENSATED = frozenset({CompensationStatus.COMPENSATED, CompensationStatus.DISCARDED})


def _migrated(state: State, event: e.InstanceMigrated, at: datetime) -> None:
    instance = state.instance
    instance.definition = event.definition
    instance.definition_key = event.definition_key
    instance.passes = {}
    if event.nodes or event.flows or event.forks_lost:
        _rename_tokens(state, event)
        _rename_scopes(state, event.nodes)
        _rename_joins(state, event)
        _rename_open_rows(state, event.nodes)
        _rename_records(state, event.nodes)


def _rename_tokens(state: State, event: e.InstanceMigrated) -> None:
    for token in list(state.tokens.values()):
        if token.final:
            continue
        new = token._replace(
            node=event.nodes.get(token.node, token.node),
            flow=event.flows.get(token.flow, token.flow) if token.flow else token.flow,
            groups={
                event.nodes.get(fork, fork): group
                for fork, group in token.groups.items()
                if fork not in event.forks_lost
            },
        )
        if new != token:
            _replace_token(state, token, new)


def _replace_token(state: State, old: Token, new: Token) -> None:
    state.put(state.tokens, new.id, new)
    if old.join is not None and old.flow != new.flow:
        before, after = (old.join, old.flow or ""), (old.join, new.flow or "")
        rest = tuple(other for other in state.arrivals.get(before, ()) if other != old.id)
        state.put(state.arrivals, before, rest or None)
        state.put(state.arrivals, after, tuple(sorted((*state.arrivals.get(after, ()), old.id))))


def _rename_scopes(state: State, nodes: Mapping[str, str]) -> None:
    for row in list(state.scopes.values()):
        if row.status is ScopeStatus.ACTIVE:
            joins = {nodes.get(name, name): count for name, count in row.open_joins.items()}
            new = row._replace(node=nodes.get(row.node, row.node), open_joins=joins)
            if new != row:
                state.put(state.scopes, row.id, new)


def _rename_joins(state: State, event: e.InstanceMigrated) -> None:
    for row in list(state.joins.values()):
        flows = tuple(event.flows.get(flow, flow) for flow in row.flows)
        new = row._replace(node=event.nodes.get(row.node, row.node), flows=flows)
        if new != row:
            state.put(state.joins, row.id, new)
    renamed = {key: newest for key, newest in state.newest_joins.items() if key[1] in event.nodes}
    for key in renamed:
        state.put(state.newest_joins, key, None)
    for (scope, node, group), newest in renamed.items():
        state.put(state.newest_joins, (scope, event.nodes[node], group), newest)


def _rename_open_rows(state: State, nodes: Mapping[str, str]) -> None:
    tables: tuple[dict[Any, Any], ...] = (
        state.external_tasks,
        state.user_tasks,
        state.timers,
        state.jobs,
        state.subscriptions,
        state.incidents,
    )
    for table in tables:
        for key, row in list(table.items()):
            if row.closed_at is None and row.node in nodes:
                state.put(table, key, row._replace(node=nodes[row.node]))


def _rename_records(state: State, nodes: Mapping[str, str]) -> None:
    for row in list(state.compensations.values()):
        if row.status not in _COMPENSATED:
            handler = nodes.get(row.handler, row.handler) if row.handler is not None else None
            new = row._replace(node=nodes.get(row.node, row.node), handler=handler)
            if new != row:
                state.put(state.compensations, row.id, new)


def _join(state: State, event: e.JoinMigrated, at: datetime) -> None:
    row = state.joins[event.join]
    new = row._replace(group=event.group, expected=event.expected, arrived=event.arrived)
    if new == row:
        return
    if new.group != row.group:
        generations = [
            other.generation
            for other in state.joins.values()
            if (other.scope, other.node, other.group) == (row.scope, row.node, new.group)
        ]
        new = new._replace(generation=max(generations, default=0) + 1)
        _forget_newest(state, row.id, (row.scope, row.node, row.group))
        state.put(state.newest_joins, (new.scope, new.node, new.group), new.id)
    state.put(state.joins, row.id, new)


def _forget_newest(state: State, join: str, key: tuple[str, str, str]) -> None:
    left = [
        other
        for other in state.joins.values()
        if (other.scope, other.node, other.group) == key and other.id != join
    ]
    newest = max(left, key=lambda other: other.generation, default=None)
    state.put(state.newest_joins, key, newest.id if newest is not None else None)


def _token_moved(state: State, event: e.TokenMoved, at: datetime) -> None:
    token = state.tokens[event.token]
    count_in_scope(state, token.scope, -1)
    count_in_scope(state, event.scope, +1)
    moved = token._replace(scope=event.scope, groups={}, parallel_group=None, flow=None)
    state.put(state.tokens, token.id, moved)


def _scope_moved(state: State, event: e.ScopeMoved, at: datetime) -> None:
    row = state.scopes[event.scope]
    state.put(state.scopes, row.id, row._replace(parent=event.parent))
    count_inner(state, row.parent, -1)
    count_inner(state, event.parent, +1)


APPLY: dict[type[e.Event], Callable[[State, Any, datetime], None]] = {
    e.InstanceMigrated: _migrated,
    e.JoinMigrated: _join,
    e.TokenMoved: _token_moved,
    e.ScopeMoved: _scope_moved,
}
