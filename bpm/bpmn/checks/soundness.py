"""What can never run, or never go on. Only warnings: the file is valid."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from bpm.bpmn.cycles import component_of
from bpm.bpmn.dominance import Dominance
from bpm.bpmn.layout import Layout, NodeXml
from bpm.bpmn.paths import Steps, entries_of, reached, shortest_path, steps_of
from bpm.bpmn.process_reading import ProcessReading

_MAX_SHOWN: Final = 12


def check_something_starts(layout: Layout, reading: ProcessReading) -> None:
    """A process can begin somewhere."""
    if not entries_of(layout, layout.scopes[layout.key]):
        reading.problem(layout.xml, "no-start", "Nothing in this process can get the first token.")


def check_unreachable(layout: Layout, reading: ProcessReading) -> None:
    """Every node can be reached from where its scope begins."""
    steps = steps_of(layout)
    for scope in layout.scopes.values():
        found = reached(steps, entries_of(layout, scope))
        for name in scope.nodes:
            if name not in found:
                message = f"No token can ever come to this {layout.nodes[name].tag}."
                reading.warning(layout.nodes[name].xml, "unreachable-node", message)


def check_joins_fed_by_themselves(layout: Layout, reading: ProcessReading) -> None:
    """A parallel join does not need a token that only it can send."""
    joins = [node for node in layout.nodes.values() if _joins(layout, node, "parallelGateway")]
    if not joins:
        return
    steps = steps_of(layout)
    entries = [name for scope in layout.scopes.values() for name in entries_of(layout, scope)]
    dominance = Dominance(layout.nodes, steps, entries)
    for join in joins:
        for source in dict.fromkeys(source.id for source in layout.sources(join.id)):
            if dominance.dominates(join.id, source):
                reading.warning(join.xml, "join-waits-for-itself", _self_wait(steps, join.id, source))


def _self_wait(steps: Steps, join: str, source: str) -> str:
    path = [*shortest_path(steps, join, source), join]
    if len(path) > _MAX_SHOWN:
        path = [*path[: _MAX_SHOWN - 2], "…", join]
    return f"The join waits for a token that only it can send: {' → '.join(path)}."


def check_mutual_waiting(layout: Layout, reading: ProcessReading) -> None:
    """Two inclusive joins on one loop may wait for each other."""
    joins = [node for node in layout.nodes.values() if _joins(layout, node, "inclusiveGateway")]
    if len(joins) < 2:
        return
    steps = steps_of(layout)
    component = component_of(layout.nodes, lambda name: steps.get(name, ()))
    together: defaultdict[int, list[NodeXml]] = defaultdict(list)
    for join in joins:
        together[component[join.id]].append(join)
    for loop in together.values():
        for join in loop if len(loop) > 1 else ():
            message = f"This inclusive join and {_others(loop, join)} can wait for each other."
            reading.warning(join.xml, "mutual-waiting", message)


def _others(loop: list[NodeXml], join: NodeXml) -> str:
    shown = [repr(other.id) for other in loop[: _MAX_SHOWN + 1] if other is not join]
    return ", ".join(shown if len(loop) <= _MAX_SHOWN + 1 else [*shown, "…"])


def _joins(layout: Layout, node: NodeXml, tag: str) -> bool:
    return node.tag == tag and len(layout.incoming.get(node.id, ())) > 1
