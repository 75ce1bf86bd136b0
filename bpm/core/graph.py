"""The compiled process: nodes, flows, scopes, and what is found out about them once (semantics §3).

A graph is immutable and shared by all commands of a process. It is made by `bpm.bpmn` from XML, or by hand in tests,
through `Graph.build`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from bpm.core.expressions import Expression
from bpm.core.mappings import Source, VariableMapping

FlowId = str
Armed = tuple[str, Any]
"""An event definition's tag with what was read of it."""
NodeId = str


class Flow(NamedTuple):
    """A sequence flow. `condition` is None where it is unconditional, default, or ignored by the rule."""

    id: FlowId
    source: NodeId
    target: NodeId
    condition: Expression | None = None
    name: str = ""
    on_take: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A flow node; subclasses, one per element, add what their behaviour needs.

    Attributes:
        tag: BPMN element name; the key into the element registry.
        scope: id of the process or subprocess element that contains it.
        order: position in the document.
        before, after: whether an asynchronous continuation stands before or after it.
        on_start, on_end: execution listeners, evaluated for their effect.
        job_retries: attempts of its jobs with the ISO 8601 delays between them, longest list first used in order.
        job_priority: of its jobs and timers; None is 0.
        inputs, outputs: mappings and data associations, in document order.
        mappings_local: whether what the work gives stays local and only mapped ones leave (`zeebe:ioMapping`).
        local_names: variables that belong to the node itself: its data outputs and properties.
        payload: its data inputs, which go along with what it throws.
    """

    id: NodeId
    tag: str
    scope: NodeId
    name: str = ""
    incoming: tuple[FlowId, ...] = ()
    outgoing: tuple[FlowId, ...] = ()
    default: FlowId | None = None
    order: int = 0
    line: int = 0
    before: bool = False
    after: bool = False
    job_retries: int = 3
    job_delays: tuple[str, ...] = ()
    job_priority: Expression | None = None
    attached_to: NodeId | None = None
    documentation: str = ""
    on_start: tuple[Expression, ...] = ()
    on_end: tuple[Expression, ...] = ()
    inputs: tuple[VariableMapping, ...] = ()
    outputs: tuple[VariableMapping, ...] = ()
    mappings_local: bool = False
    local_names: frozenset[str] = frozenset()
    payload: tuple[str, ...] = ()

    @property
    def layered(self) -> bool:
        """Whether it works in scopes of its own, because of a loop, boundary events, mappings or data."""
        return False

    @property
    def forks(self) -> bool:
        """Whether leaving it may split the token: more than one outgoing flow and no exclusive choice."""
        return len(self.outgoing) > 1

    @property
    def joins(self) -> str | None:
        """Kind of its join state (`parallel`, `inclusive`, `complex`), None where every token passes on its own."""
        return None

    @property
    def jump(self) -> NodeId | None:
        """Where a token goes on without a flow: the catch of a link throw (semantics §7)."""
        return None

    @property
    def watches(self) -> bool:
        """Whether, being a subprocess, it is told when an activity inside is left."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiInstance:
    """Multi-instance characteristics (semantics §4).

    Attributes:
        cardinality, collection: exactly one of them.
        element: variable that gets the item.
        behavior: when events are thrown as instances complete: `None` each time, `One` the first time, `Complex` by
            the conditions of the events, `All` never.
        events: what is thrown, with its condition under `Complex`.
        output_collection: variable that gets the list of what the instances give, in the order of the items.
        output_element: what an instance gives, evaluated when it completes.
        before, after: whether an asynchronous continuation stands before or after each instance.
    """

    sequential: bool = False
    cardinality: Expression | None = None
    collection: Expression | None = None
    element: str | None = None
    completion: Expression | None = None
    behavior: str = "All"
    events: tuple[tuple[Expression | None, Armed], ...] = ()
    output_collection: str | None = None
    output_element: Source | None = None
    before: bool = False
    after: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StandardLoop:
    """Standard loop characteristics; without condition the activity runs `maximum` times, or once."""

    test_before: bool = False
    condition: Expression | None = None
    maximum: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity(Node):
    """A task, subprocess or call: what all of them may have around their work.

    Attributes:
        boundary: its boundary events, in document order, those of compensation excepted.
        input_sets: data inputs that it needs; one of the sets has to be filled.
        compensation: the activity that undoes it, from its compensation boundary event.
        for_compensation: whether it runs only to undo another one.
    """

    boundary: tuple[NodeId, ...] = ()
    loop: MultiInstance | StandardLoop | None = None
    input_sets: tuple[frozenset[str], ...] = ()
    start_quantity: int = 1
    completion_quantity: int = 1
    compensation: NodeId | None = None
    for_compensation: bool = False

    @property
    def joins(self) -> str | None:
        """`quantity` where it starts with several tokens."""
        return "quantity" if self.start_quantity > 1 else None

    @property
    def layered(self) -> bool:
        """Whether it works in scopes of its own, because of a loop, boundary events, mappings or data."""
        return bool(self.loop or self.boundary or self.inputs or self.outputs or self.local_names)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeGraph:
    """The inside of the process or of one subprocess element.

    Attributes:
        starts: where its first tokens go.
        handlers: its event subprocesses, in document order.
        compensation: the event subprocess that compensates it, None where what is inside is compensated.
        data: variables of its data objects and properties.
        on_start, on_end: listeners of the process or event subprocess, which no token enters; else empty.
    """

    id: NodeId
    parent: NodeId | None
    starts: tuple[NodeId, ...] = ()
    nodes: tuple[NodeId, ...] = ()
    handlers: tuple[NodeId, ...] = ()
    compensation: NodeId | None = None
    data: tuple[str, ...] = ()
    on_start: tuple[Expression, ...] = ()
    on_end: tuple[Expression, ...] = ()


class Footprint(NamedTuple):
    """What a run that leaves (or enters) a node may read before it comes to rest.

    Attributes:
        names: variables read by expressions; None when that cannot be known (all).
        joins: joins it may arrive at, with the flows by which it may.
    """

    names: frozenset[str] | None
    joins: Mapping[NodeId, frozenset[FlowId]]


NOTHING = Footprint(frozenset(), {})


@dataclass(frozen=True, kw_only=True)
class Graph:
    """One executable process.

    Attributes:
        key: id of the process element.
        binding_fork: join to the fork whose group keys it, None where it has none.
        extras: what elements of the file want to keep at process level (candidate starters, saga mode …).
    """

    key: str
    name: str = ""
    version_tag: str = ""
    nodes: Mapping[NodeId, Node]
    flows: Mapping[FlowId, Flow]
    scopes: Mapping[NodeId, ScopeGraph]
    binding_fork: Mapping[NodeId, NodeId | None] = field(default_factory=dict)
    extras: Mapping[str, Any] = field(default_factory=dict)

    @property
    def root(self) -> ScopeGraph:
        """The process's own scope."""
        return self.scopes[self.key]

    @cached_property
    def footprints(self) -> dict[tuple[NodeId, bool], Footprint]:
        """Cache of `bpm.core.footprint`: (node, whether it is left rather than entered) to its footprint."""
        return {}

    @cached_property
    def jumps(self) -> dict[NodeId, tuple[NodeId, ...]]:
        """Link catch to the throws that lead there."""
        found: dict[NodeId, tuple[NodeId, ...]] = {}
        for node in self.nodes.values():
            if node.jump is not None:
                found[node.jump] = (*found.get(node.jump, ()), node.id)
        return found

    @cached_property
    def declared(self) -> dict[str, frozenset[NodeId]]:
        """Variable to the nodes in whose scopes it is declared, those of the process itself excepted."""
        found: dict[str, frozenset[NodeId]] = {}
        places = [(scope.id, scope.data) for scope in self.scopes.values() if scope.parent is not None]
        places += [(node.id, tuple(node.local_names)) for node in self.nodes.values() if node.local_names]
        for place, names in places:
            for name in names:
                found[name] = found.get(name, frozenset()) | {place}
        return found

    @cached_property
    def upstream(self) -> dict[NodeId, dict[FlowId, frozenset[NodeId]]]:
        """Cache of `bpm.core.reach`: join to incoming flow to the nodes from which it can be reached."""
        return {}

    @cached_property
    def downstream(self) -> dict[NodeId, frozenset[NodeId]]:
        """Cache of `bpm.core.compensation.order`: node to the nodes that can get a token after it."""
        return {}


def node_map(nodes: Iterable[Node]) -> dict[NodeId, Node]:
    """Return the nodes by id, in document order."""
    return {node.id: node for node in sorted(nodes, key=lambda node: node.order)}
