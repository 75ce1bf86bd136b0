"""What was, told from the histories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bpm.core import events as e
from bpm.core.ids import Id
from tests.corpus.operaton_names import BODY_SUFFIX, Names


def activity_instances(names: Names, where: dict[str, Any]) -> list[str]:
    """Return the nodes that were entered, once for each time."""
    _require(where, {"activity", "instance", "finished"})
    found = []
    for instance in _instances(names, where):
        for node, finished in _visits(names, instance):
            if where.get("activity", node) == node and where.get("finished", finished) == finished:
                found.append(node)
    return found


def _visits(names: Names, instance: Id) -> Iterator[tuple[str, bool]]:
    """Yield each arrival at a node with whether it is over.

    An arrival at a multi-instance is one at its body; one that only waits for an activity's own scope does not count.
    """
    events = [recorded.event for recorded in names.host.history(instance)]
    graph, scopes = names.host.graph(instance), names.state(instance).scopes
    outer = {
        event.token for event in events if isinstance(event, e.ScopeEntered) and event.kind == "activity"
    }
    at = {event.token: scopes[event.scope].node for event in events if isinstance(event, e.TokenCreated)}
    for index, event in enumerate(events):
        if isinstance(event, e.TokenArrived) and not event.phase and event.token not in outer:
            later = events[index + 1 :]
            loops = (
                getattr(graph.nodes[event.node], "loop", None) is not None and at[event.token] != event.node
            )
            yield (
                event.node + BODY_SUFFIX * loops,
                any(
                    isinstance(done, e.TokenCompleted | e.TokenTerminated)
                    and done.token == event.token
                    and done.node == event.node
                    for done in later
                ),
            )


def instance_rows(names: Names, where: dict[str, Any]) -> list[Id]:
    """Return the instances there ever were."""
    _require(where, {"business_key", "finished", "instance"})
    found = []
    for instance in _instances(names, where):
        row = names.state(instance).instance
        matches = where.get("business_key", row.business_key) == row.business_key
        if matches and where.get("finished", row.ended) == row.ended:
            found.append(instance)
    return found


def variables_ever(names: Names, where: dict[str, Any]) -> set[tuple[Id, str]]:
    """Return the variables there ever were, by scope and name."""
    _require(where, {"instance", "name"})
    return {
        (recorded.event.scope, recorded.event.name)
        for instance in _instances(names, where)
        for recorded in names.host.history(instance)
        if isinstance(recorded.event, e.VariableSet)
        and where.get("name", recorded.event.name) == recorded.event.name
    }


def _instances(names: Names, where: dict[str, Any]) -> list[Id]:
    return [names.instance(where["instance"])] if "instance" in where else names.host.instances()


def _require(where: dict[str, Any], known: set[str]) -> None:
    if not where.keys() <= known:
        raise KeyError(sorted(where.keys() - known))
