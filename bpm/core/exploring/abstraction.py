"""A process without its data: what depends on variables becomes a free choice, what is constant stays.

The abstract graph is an ordinary graph, its expressions are ordinary expressions, so the engine's own code decides.
Conditions of flows are answered so that every outcome of the node comes about but the one in which no flow is left;
loops of unknown size are done 0, 1 and 2 times; unknown texts are all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, NamedTuple

from bpm.core.exploring.merging_nodes import merging_nodes
from bpm.core.exploring.oracle import Oracle
from bpm.core.expressions import Expression
from bpm.core.expressions.frame import Frame
from bpm.core.graph import Activity, Flow, Graph, Node
from bpm.core.loops import COUNTS

LOOP_COUNTER: Final = "loopCounter"
COUNTED: Final = frozenset({*COUNTS, LOOP_COUNTER, "activationCount", "waitingForStart"})
"""Variables that the engine itself sets, so they are known."""
_TEXT: Final = "unknown"
_SIZES: Final = (0, 1, 2)
"""Sizes of a multi-instance whose size is not known."""


class Abstract(NamedTuple):
    """A graph without data.

    Attributes:
        counted: whether some expression that is evaluated reads the loop counter.
        paused: nodes before which tokens pause though the model does not say so.
        binding: forks whose groups some join looks at.
    """

    graph: Graph
    oracle: Oracle
    counted: bool
    paused: frozenset[str]
    binding: frozenset[str]


def is_known(expression: Expression) -> bool:
    """Return whether the value does not depend on variables that somebody sets."""
    return expression.names is not None and not expression.effects and expression.names <= COUNTED


def abstract(graph: Graph) -> Abstract:
    """Return the graph with free choices instead of data."""
    oracle = Oracle()
    paused = merging_nodes(graph)
    making = _Making(oracle, {name: len(node.incoming) for name, node in graph.nodes.items()})
    nodes = {name: making.node(node, pauses=name in paused) for name, node in graph.nodes.items()}
    flows = {name: making.flow(graph, flow) for name, flow in graph.flows.items()}
    free = Graph(
        key=graph.key,
        name=graph.name,
        version_tag=graph.version_tag,
        nodes=nodes,
        flows=flows,
        scopes=graph.scopes,
        binding_fork=graph.binding_fork,
        extras=graph.extras,
    )
    binding = frozenset(fork for fork in graph.binding_fork.values() if fork is not None)
    return Abstract(free, oracle, making.counted, paused, binding)


class _Making:
    """Replaces expressions, wherever in a node they stand, by what their place needs."""

    def __init__(self, oracle: Oracle, ways: Mapping[str, int]) -> None:
        self._oracle = oracle
        self._ways = ways
        self.counted = False

    def node(self, node: Node, *, pauses: bool) -> Node:
        made: Node = self._replaced(node, node.id, "")
        if isinstance(made, Activity) and made.input_sets:
            made = replace(made, input_sets=())
        return replace(made, before=True) if pauses else made

    def flow(self, graph: Graph, flow: Flow) -> Flow:
        if flow.condition is None or self._known(flow.condition):
            return flow._replace(on_take=())
        asked = [name for name in graph.nodes[flow.source].outgoing if _is_asked(graph, name)]
        first, last = flow.id == asked[0], flow.id == asked[-1]
        needed = last and not _has_way_out(graph, graph.nodes[flow.source])
        oracle = self._oracle

        def answer(frame: Frame) -> bool:
            return oracle.flow(flow.source, flow.id, first=first, needed=needed and not _after_reset(frame))

        return flow._replace(condition=_asking(flow.condition, answer), on_take=())

    def _known(self, expression: Expression) -> bool:
        if not is_known(expression):
            return False
        self.counted = self.counted or LOOP_COUNTER in (expression.names or ())
        return True

    def _replaced(self, value: Any, node: str, place: str) -> Any:
        if isinstance(value, Expression):
            return value if self._known(value) else _asking(value, self._answer(value, node, place))
        if is_dataclass(value) and not isinstance(value, type):
            owner = type(value).__name__
            changes = {
                field.name: self._replaced(
                    getattr(value, field.name), node, f"{_kind(value, owner)}.{field.name}"
                )
                for field in fields(value)
                if field.init
            }
            return replace(
                value, **{name: new for name, new in changes.items() if new is not getattr(value, name)}
            )
        if isinstance(value, tuple):
            names = getattr(value, "_fields", None)
            places = [f"{type(value).__name__}.{name}" for name in names] if names else [place] * len(value)
            items = [self._replaced(item, node, at) for item, at in zip(value, places, strict=True)]
            if all(new is old for new, old in zip(items, value, strict=True)):
                return value
            return type(value)(*items) if names else tuple(items)
        return value

    def _answer(self, expression: Expression, node: str, place: str) -> Callable[[Frame], Any]:
        oracle = self._oracle
        if place == "ComplexGateway.activation":
            return lambda frame: oracle.truth(node) or _is_full(frame, self._ways[node])
        if place == "StandardLoop.condition":
            return lambda _: oracle.again(node)
        if place in _CONDITIONS:
            return lambda _: oracle.truth(node)
        if place == "Condition.expression":
            return lambda _: oracle.catch(node)
        if place == "MultiInstance.cardinality":
            return lambda _: _SIZES[oracle.choose(len(_SIZES))]
        if place == "MultiInstance.collection":
            return lambda _: [_TEXT] * _SIZES[oracle.choose(len(_SIZES))]
        constant = _VALUES.get(place)
        return lambda _: constant


def _kind(value: Any, owner: str) -> str:
    return f"{owner}:{value.kind}" if owner == "Timer" else owner


def _asking(expression: Expression, answer: Callable[[Frame], Any]) -> Expression:
    return replace(expression, names=frozenset(), effects=False, _run=answer)


def _is_asked(graph: Graph, flow: str) -> bool:
    condition = graph.flows[flow].condition
    return (
        condition is not None
        and not is_known(condition)
        and flow != graph.nodes[graph.flows[flow].source].default
    )


def _has_way_out(graph: Graph, node: Node) -> bool:
    """Return whether some flow is left where no unknown condition is true."""
    conditions = [graph.flows[name].condition for name in node.outgoing if name != node.default]
    certain = any(one is None or (is_known(one) and one.text not in _NEVER) for one in conditions)
    return node.default is not None or certain


_NEVER: Final = frozenset({"${false}", "#{false}", "=false"})


def _after_reset(frame: Frame) -> bool:
    """Return whether a complex gateway asks that is being reset: it need not send anything on."""
    try:
        return frame.scope.lookup("waitingForStart") is False
    except KeyError:
        return False


def _is_full(frame: Frame, ways: int) -> bool:
    """Return whether as many tokens wait at a complex gateway as it has ways in: it will not get more."""
    return int(frame.scope.lookup("activationCount")) >= ways  # type: ignore[call-overload,no-any-return]


_CONDITIONS: Final = frozenset(
    {
        "MultiInstance.completion",
        "MultiInstance.events",
        "AdHocSubProcess.completion",
    }
)
"""Places of conditions that are true or false at any time."""

_VALUES: Final[dict[str, Any]] = {
    "Timer:duration.text": "PT1S",
    "Timer:date.text": "2100-01-01",
    "Timer:cycle.text": "R1/PT1S",
    "ServiceTask.topic": _TEXT,
    "ServiceTask.priority": 0,
    "CallActivity.process": _TEXT,
    "CallActivity.version": "1",
    "CallActivity.business_key": _TEXT,
    "Message.name": _TEXT,
    "Message.correlation": _TEXT,
    "Signal.name": _TEXT,
    "Coded.code": _TEXT,
    "MapSource.entries": _TEXT,
}
"""Place to the value of an unknown expression; null anywhere else."""
