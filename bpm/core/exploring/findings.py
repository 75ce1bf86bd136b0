"""What is wrong with a process, told from all that can happen in it: each with the shortest way that leads there.

    invariant-broken         the engine itself is at fault
    deadlock                 tokens wait at joins and nothing can come any more
    livelock                 something can always happen, but no end can be reached
    lack-of-synchronisation  two tokens are at one place at the same time: what follows is done twice
    unbounded-growth         a way that can be gone again and again adds a token each time
    dead-node                nothing that can happen gets there

A finding is certain also where a bound was met: what was not followed counts as if it could still come to an end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from bpm.core.elements.registry import ELEMENTS
from bpm.core.exploring.merging_nodes import successors
from bpm.core.exploring.space import Broken, Space
from bpm.core.graph import Activity, Graph, Node, NodeId

INVARIANT, DEADLOCK, LIVELOCK = "invariant-broken", "deadlock", "livelock"
SYNCHRONISATION, GROWTH, DEAD = "lack-of-synchronisation", "unbounded-growth", "dead-node"
RULES: Final = (INVARIANT, DEADLOCK, LIVELOCK, SYNCHRONISATION, GROWTH, DEAD)
"""All rules, in the order in which findings are told."""
_MOST_DEADLOCKS: Final = 5


class Finding(NamedTuple):
    """One thing that is wrong.

    Attributes:
        element: the node at which it shows.
        message: one sentence.
        trace: what happens until then, one step a line; empty where nothing leads there.
    """

    rule: str
    element: str
    message: str
    trace: tuple[str, ...]


def find(graph: Graph, space: Space) -> list[Finding]:
    """Return all findings of an exploration."""
    deadlocks = list(_deadlocks(graph, space))
    found = [*_broken(graph, space.broken, space), *deadlocks, *_livelocks(graph, space, deadlocks)]
    found += [*_unsynchronised(graph, space), *_growth(graph, space)]
    if space.complete and not space.unclear:
        found += _dead(graph, space, {finding.element for finding in deadlocks})
    return found


def _broken(graph: Graph, broken: Iterable[Broken], space: Space) -> Iterator[Finding]:
    for step, text in broken:
        before = space.trace(step.before) if step.before >= 0 else []
        yield Finding(INVARIANT, graph.key, text, (*before, *step.words))


# what cannot end


def _closure(space: Space, begin: Iterable[int]) -> set[int]:
    """Return the situations from which one of these can be reached."""
    found = set(begin)
    waiting = list(found)
    while waiting:
        for number in space.before[waiting.pop()]:
            if number not in found:
                found.add(number)
                waiting.append(number)
    return found


def _hopeless(space: Space) -> list[int]:
    """Return the situations from which neither an end nor one that needs a human can be reached for certain."""
    ends = [number for number, one in enumerate(space.situations) if one.ended or one.failed]
    hopeful = _closure(space, [*ends, *space.open])
    return [number for number in range(len(space.situations)) if number not in hopeful]


def _deadlocks(graph: Graph, space: Space) -> Iterator[Finding]:
    told: set[tuple[str, ...]] = set()
    for number in _hopeless(space):
        if space.after[number] or len(told) >= _MOST_DEADLOCKS:
            continue
        marking = space.situations[number].marking
        joins = marking.joins or tuple(sorted({node for _, node, _ in marking.tokens}))
        if joins in told:
            continue
        told.add(joins)
        missing = _missing_flows(
            graph, joins[0], {flow for _, node, flow in marking.tokens if node == joins[0]}
        )
        others = f", and so for {', '.join(joins[1:])}" if len(joins) > 1 else ""
        message = f"Tokens wait at {joins[0]} for ever: nothing can come{missing} any more{others}."
        yield Finding(DEADLOCK, joins[0], message, tuple(space.trace(number)))


def _missing_flows(graph: Graph, join: NodeId, filled: Collection[str]) -> str:
    missing = [flow for flow in graph.nodes[join].incoming if flow not in filled]
    return f" on {', '.join(missing)}" if missing and filled else ""


def _livelocks(graph: Graph, space: Space, deadlocks: list[Finding]) -> Iterator[Finding]:
    hopeless = _hopeless(space)
    dead = _closure(space, [number for number in hopeless if not space.after[number]]) if deadlocks else set()
    number = next((number for number in hopeless if number not in dead), None)
    if number is None:
        return
    nodes = sorted({node for _, node, _ in space.situations[number].marking.tokens})
    message = f"From here on no end can be reached, though things go on at {', '.join(nodes)}."
    yield Finding(LIVELOCK, nodes[0] if nodes else graph.key, message, tuple(space.trace(number)))


# too many tokens


def _unsynchronised(graph: Graph, space: Space) -> Iterator[Finding]:
    ordinary = _without_side_ways(graph)
    behind: set[NodeId] = set()
    for number, situation in enumerate(space.situations):
        for place in situation.marking.crowded:
            if place.node in behind or place.node not in ordinary:
                continue
            behind |= _downstream(graph, place.node)
            where = f"wait on the flow {place.flow} of {place.node}" if place.flow else f"are at {place.node}"
            message = f"Two tokens {where} at the same time: what follows is done once for each."
            yield Finding(SYNCHRONISATION, place.node, message, tuple(space.trace(number)))


def _without_side_ways(graph: Graph) -> set[NodeId]:
    """Return the nodes that tokens reach otherwise than by an event that does not interrupt.

    What such an event starts runs beside the rest and may well run twice, by design. The same holds in a scope where
    an activity gives several tokens.
    """
    several = {
        node.scope
        for node in graph.nodes.values()
        if isinstance(node, Activity) and node.completion_quantity > 1
    }
    waiting = [name for scope in graph.scopes.values() for name in scope.starts]
    waiting += graph.extras.get("triggered_starts", ())
    waiting += [name for name, node in graph.nodes.items() if _takes_over(node)]
    found: set[NodeId] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += successors(graph, graph.nodes[name])
    return {name for name in found if graph.nodes[name].scope not in several}


def _takes_over(node: Node) -> bool:
    return node.attached_to is not None and ELEMENTS[node.tag].interrupts(node)


def _downstream(graph: Graph, node: NodeId) -> set[NodeId]:
    found = {node}
    waiting = [node]
    while waiting:
        for target in successors(graph, graph.nodes[waiting.pop()]):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


def _growth(graph: Graph, space: Space) -> Iterator[Finding]:
    ordinary = _without_side_ways(graph)
    for number in sorted(space.open):
        marking = space.situations[number].marking
        if marking.most < 2:
            continue
        for earlier in space.way(number):
            less = space.situations[earlier].marking
            if not marking.covers(less):
                continue
            more = {place: held - less.tokens.get(place, 0) for place, held in marking.tokens.items()}
            grown = [place for place in more if place[1] in ordinary and more[place] > 0]
            if grown:
                _, node, _ = max(grown, key=lambda place: more[place])
                message = f"Tokens pile up at {node}: the way there can be gone again and again."
                yield Finding(GROWTH, node, message, tuple(space.trace(number)))
                return


# what never comes about


def _dead(graph: Graph, space: Space, deadlocked: Collection[NodeId]) -> Iterator[Finding]:
    """Yield nodes to which no token came, of those behind each other only the first."""
    dead = {
        name for name, node in graph.nodes.items() if name not in space.entered and _is_entered(graph, node)
    }
    sources = {name: _sources(graph, graph.nodes[name]) for name in graph.nodes if name in dead}
    told = _behind(sources, {name for name in dead if sources[name].intersection(deadlocked)})
    first = [name for name in sources if name not in told and dead.isdisjoint(sources[name])]
    told |= _behind(sources, set(first))
    for name in sources:
        if name in first or name not in told:
            told |= _behind(sources, {name})
            message = f"Nothing that can happen leads to {name}."
            yield Finding(DEAD, name, message, ())


def _behind(sources: Mapping[NodeId, frozenset[NodeId]], begin: set[NodeId]) -> set[NodeId]:
    """Return those nodes, and every one with a source among them, again and again."""
    found = set(begin)
    more = True
    while more:
        new = {name for name, before in sources.items() if name not in found and not found.isdisjoint(before)}
        found |= new
        more = bool(new)
    return found


def _sources(graph: Graph, node: Node) -> frozenset[NodeId]:
    before = [graph.flows[flow].source for flow in node.incoming]
    scope = graph.scopes[node.scope]
    inside = scope.parent is not None and (node.id in scope.starts or node.id in scope.handlers)
    return frozenset(
        [*before, *([scope.id] if inside else []), *([node.attached_to] if node.attached_to else [])]
    )


def _is_entered(graph: Graph, node: Node) -> bool:
    """Return whether being entered leaves a trace: a boundary event of compensation only names its handler."""
    if isinstance(node, Activity) and node.for_compensation:
        return True
    if node.attached_to is None:
        return True
    host = graph.nodes[node.attached_to]
    return isinstance(host, Activity) and node.id in host.boundary
