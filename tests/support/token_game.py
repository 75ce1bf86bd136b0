"""Plain token semantics of a model with parallel and exclusive gateways: no keys, tokens on flows are all alike.

What the parallel join of the engine is compared with on safe models, those in which no flow ever holds two tokens.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence

from tests.support.model import ELSE, FlowSpec, Model, NodeSpec

Truth = Callable[[str], bool]


class Unsafe(Exception):
    """A flow holds two tokens, or the run does not come to rest."""


class TokenGame:
    """One run. User tasks wait, everything else moves at once.

    Args:
        truth: value of a condition.
    """

    def __init__(self, model: Model, truth: Truth, *, moves: int = 200) -> None:
        self._nodes = {node.id: node for node in model.nodes}
        self._incoming = model.incoming
        self._truth = truth
        self._moves = moves
        self._moving: deque[FlowSpec] = deque()
        self.at_joins: Counter[str] = Counter()
        self.tasks: Counter[str] = Counter()
        for node in model.nodes:
            if node.kind == "start":
                self._leave(node)
        self._settle()

    def complete(self, task: str) -> None:
        """Complete a user task and let everything move that can."""
        self.tasks -= Counter([task])
        self._leave(self._nodes[task])
        self._settle()

    def _settle(self) -> None:
        while self._moving:
            self._moves -= 1
            if self._moves < 0:
                raise Unsafe
            flow = self._moving.popleft()
            node = self._nodes[flow.target]
            if node.kind == "user":
                self.tasks[node.id] += 1
                if self.tasks[node.id] > 1:
                    raise Unsafe
            elif node.kind == "par" and len(self._incoming[node.id]) > 1:
                self._join(node, flow)
            else:
                self._leave(node)

    def _join(self, node: NodeSpec, flow: FlowSpec) -> None:
        self.at_joins[flow.id] += 1
        if self.at_joins[flow.id] > 1:
            raise Unsafe
        incoming = self._incoming[node.id]
        if all(self.at_joins[name] for name in incoming):
            self.at_joins -= Counter(incoming)
            self._leave(node)

    def _leave(self, node: NodeSpec) -> None:
        if node.kind == "xor":
            default = [flow for flow in node.flows if flow.condition == ELSE]
            others = [flow for flow in node.flows if flow.condition != ELSE]
            true = [flow for flow in others if flow.condition is None or self._truth(flow.condition)]
            taken = [*true, *default][:1]
        else:
            taken = list(node.flows)
        if node.flows and not taken:
            raise Unsafe
        self._moving.extend(taken)


def is_safe(model: Model, *, markings: int = 400) -> bool:
    """Return whether no order of moves and no choice ever puts two tokens on one flow, or two at one user task.

    Explores all markings; a model with more of them than that counts as not safe.
    """
    nodes = {node.id: node for node in model.nodes}
    first = frozenset(flow.id for node in model.nodes if node.kind == "start" for flow in node.flows)
    seen, stack = {first}, [first]
    while stack:
        marking = stack.pop()
        for node in nodes.values():
            incoming = model.incoming[node.id]
            if node.kind == "user" and len(marking.intersection(incoming)) > 1:
                return False
            for consumed, produced in firings(node, incoming, marking):
                left = marking - consumed
                if left & produced:
                    return False
                after = left | produced
                if after not in seen:
                    seen.add(after)
                    stack.append(after)
        if len(seen) > markings:
            return False
    return True


def firings(
    node: NodeSpec, incoming: Sequence[str], marking: frozenset[str]
) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield what a node can consume and produce in a marking; an exclusive gateway takes any one flow."""
    if node.kind == "par" and len(incoming) > 1:
        consumptions = [frozenset(incoming)] if marking.issuperset(incoming) else []
    else:
        consumptions = [frozenset({flow}) for flow in incoming if flow in marking]
    outgoing = frozenset(flow.id for flow in node.flows)
    outcomes = [frozenset({flow}) for flow in outgoing] if node.kind == "xor" and outgoing else [outgoing]
    for consumed in consumptions:
        for produced in outcomes:
            yield consumed, produced
