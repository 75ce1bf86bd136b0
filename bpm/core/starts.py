"""How a definition is started by what comes: timers, messages, signals, conditions (semantics §6, §7).

Such starts wait as rows of the definition, not of an instance. Whatever is computed in them is computed once, when the
version is armed, and sees no variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from bpm.core.calls import Given
from bpm.core.expressions import EvaluationFailed, Expression
from bpm.core.failure import NodeFailed
from bpm.core.graph import Graph, Node
from bpm.core.priorities import whole_priority
from bpm.core.timing import TimingSyntaxError
from bpm.core.triggers.conditional import Condition
from bpm.core.triggers.message import Message
from bpm.core.triggers.signal import Signal
from bpm.core.triggers.timer import Timer, first_due


class StartWait(NamedTuple):
    """A start by message, signal or condition.

    Attributes:
        node: where an instance begins.
        kind: `message`, `signal` or `condition`.
        name: of message or signal; for a condition the number of its definition at the node.
    """

    node: str
    kind: str
    name: str


class StartTimer(NamedTuple):
    """A start by time; see `Timer` of `bpm.core.rows` for the fields."""

    node: str
    kind: str
    due_at: datetime
    expression: str
    priority: int = 0


def start_waits(graph: Graph) -> list[StartWait]:
    """Return all starts by message, signal and condition, in document order."""
    found = []
    for node, number, definition in _definitions(graph):
        if isinstance(definition, Message | Signal):
            kind = "message" if isinstance(definition, Message) else "signal"
            found.append(StartWait(node.id, kind, definition.name.text))
        elif isinstance(definition, Condition):
            found.append(StartWait(node.id, "condition", str(number)))
    return found


def start_timers(graph: Graph, now: datetime, zone: tzinfo) -> list[StartTimer]:
    """Return the first due time of every start by time, in document order; a cycle that is over has none.

    Raises:
        NodeFailed: a computed text is not evaluable, or is no time.
    """
    found = []
    for node, _, definition in _definitions(graph):
        if isinstance(definition, Timer):
            text = str(_evaluate(definition.text, now)).strip()
            try:
                due = first_due(definition.kind, text, now, zone)
            except TimingSyntaxError as error:
                raise NodeFailed("TimerInvalid", f"{node.id}: {error}") from None
            priority = whole_priority(_evaluate(node.job_priority, now)) if node.job_priority else 0
            found.append(StartTimer(node.id, definition.kind, due, text, priority))
    return found


def starts_on(graph: Graph, node: str, number: int, variables: Mapping[str, Any], now: datetime) -> bool:
    """Return whether a conditional start is true for variables; one that cannot be evaluated is not."""
    definition = next(found for at, place, found in _definitions(graph) if at.id == node and place == number)
    if definition.variable is not None and definition.variable not in variables:
        return False
    try:
        return bool(definition.expression.truth(Given(variables, now)))
    except EvaluationFailed:
        return False


def instantiating_gateway(graph: Graph, node: Node) -> Any:
    """Return the event-based gateway before an event that starts instances, None where there is none."""
    for flow in node.incoming:
        source: Any = graph.nodes[graph.flows[flow].source]
        if source.tag == "eventBasedGateway" and source.instantiate:
            return source
    return None


def targets_of(graph: Graph, gateway: Node) -> list[tuple[str, Node]]:
    """Return the flows behind a gateway with the nodes to which they lead."""
    return [(flow, graph.nodes[graph.flows[flow].target]) for flow in gateway.outgoing]


def _definitions(graph: Graph) -> Iterator[tuple[Node, int, Any]]:
    for name in graph.extras.get("triggered_starts", ()):
        node: Any = graph.nodes[name]
        if node.tag == "eventBasedGateway":
            for _, target in targets_of(graph, node):
                yield from _of_node(target)
        else:
            yield from _of_node(node)


def _of_node(node: Any) -> Iterator[tuple[Node, int, Any]]:
    if node.tag == "receiveTask":
        yield node, 0, node.message
        return
    for number, (_, definition) in enumerate(node.triggers):
        yield node, number, definition


def _evaluate(text: Expression, now: datetime) -> Any:
    try:
        value = text.evaluate(Given({}, now))
    except EvaluationFailed as failure:
        raise NodeFailed("ExpressionFailed", str(failure)) from None
    return value.isoformat() if hasattr(value, "isoformat") else value


def came_first(node: Any, trigger: str) -> int:
    """Return which definition of a start event has come, given kind and name as `StartInstance.trigger` has them."""
    kind, _, name = trigger.partition(":")
    for number, (_, definition) in enumerate(node.triggers):
        if isinstance(definition, Message | Signal):
            wanted = "message" if isinstance(definition, Message) else "signal"
            found = (kind, name) == (wanted, definition.name.text)
        else:
            found = (
                kind == "timer"
                if isinstance(definition, Timer)
                else (kind, name) == ("condition", str(number))
            )
        if found:
            return number
    return 0
