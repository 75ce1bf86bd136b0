"""One command at work: moves tokens until all of them have come to rest.

The run is what elements act on. It emits events (each applied at once by `evolve`), keeps the queue of tokens that can
move, counts steps, and turns a node that cannot do its work into an incident.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bpm.core import events as e
from bpm.core.context import Context
from bpm.core.evolve import APPLY
from bpm.core.execution import ExecutionObject
from bpm.core.expressions import EvaluationFailed, Expression
from bpm.core.failure import NodeFailed
from bpm.core.graph import Flow, Graph, Node
from bpm.core.ids import Id
from bpm.core.lookup import ScopeLookup, owner_of
from bpm.core.state import State
from bpm.core.token import Token, TokenStatus, Wait

if TYPE_CHECKING:
    from bpm.core.elements.element import Element

AFTER = "after"
"""Phase of a token whose node has done its work: only the way out is left."""


class Run:
    """One command's work on one instance.

    Attributes:
        events: what happened so far, in order.
        moved: scopes in which a token moved or ended; their joins are looked at when all tokens rest.
    """

    __slots__ = (
        "_admitted",
        "_elements",
        "_queue",
        "_steps",
        "context",
        "events",
        "graph",
        "moved",
        "passes",
        "state",
    )

    def __init__(
        self, graph: Graph, state: State, context: Context, elements: Mapping[str, Element[Any]]
    ) -> None:
        self.graph = graph
        self.state = state
        self.context = context
        self.events: list[e.Event] = []
        self.moved: dict[Id, None] = {}
        self.passes: dict[str, int] = dict(state.instance.passes)
        self._elements = elements
        self._admitted: set[Id] = set()
        self._queue: deque[Id] = deque()
        self._steps = 0

    # events

    def emit(self, event: e.Event) -> None:
        """Apply an event and keep it."""
        state = self.state
        instance = state.instance
        instance.sequence += 1
        instance.updated_at = self.context.now
        APPLY[type(event)](state, event, self.context.now)
        self.events.append(event)

    def new_id(self) -> Id:
        """Return a new id and remember that nothing stored can belong to it."""
        made = self.context.ids.next()
        self.state.fresh.add(made)
        return made

    def token(self, token: Id) -> Token:
        """Return the present row of a token."""
        return self.state.tokens[token]

    def element(self, node: Node) -> Element[Any]:
        """Return the behaviour of a node."""
        return self._elements[node.tag]

    # moving

    def create_token(
        self,
        node: str,
        scope: Id,
        reason: str,
        *,
        flow: str | None = None,
        groups: Mapping[str, Id] | None = None,
        parallel_group: Id | None = None,
        mode: str = "forward",
    ) -> Id:
        """Create a token at a node's entrance and let it move. Emits TokenCreated, TokenArrived."""
        token = self.new_id()
        self.emit(
            e.TokenCreated(
                token=token,
                node=node,
                scope=scope,
                reason=reason,
                flow=flow,
                groups=groups or {},
                parallel_group=parallel_group,
                mode=mode,
            )
        )
        self.emit(e.TokenArrived(token=token, node=node, flow=flow))
        self._queue.append(token)
        return token

    def wake(self, token: Token) -> None:
        """What a token waited for has come: its node's work is done, it will leave. Emits TokenResumed."""
        self.emit(e.TokenResumed(token=token.id, node=token.node, phase=AFTER))
        self._queue.append(token.id)

    def enqueue(self, token: Id, *, admitted: bool = False) -> None:
        """Let a token that is Ready move; `admitted`: its asynchronous continuation is behind it."""
        if admitted:
            self._admitted.add(token)
        self._queue.append(token)

    @property
    def busy(self) -> bool:
        """Whether some token can still move in this command."""
        return bool(self._queue)

    def block(self, token: Token, wait: Wait) -> None:
        """Bring a token to rest. Emits TokenBlocked."""
        self.emit(e.TokenBlocked(token=token.id, node=token.node, wait=wait))
        self.passes.clear()
        self.moved[token.scope] = None

    def leave(self, node: Node, token: Token) -> None:
        """Let a token leave its node by the flows its element chooses, or wait for a job before that.

        Raises:
            NodeFailed: before anything is emitted.
        """
        if node.after and token.id not in self._admitted:
            self.create_job(node, token, "after")
            return
        self._admitted.discard(token.id)
        self._count(node)
        self.take(node, token, self._elements[node.tag].choose(self, node, token))

    def take(self, node: Node, token: Token, flows: Iterable[Flow]) -> None:
        """Move a token along flows: end it where there is none, split it at a fork.

        Emits TokenTerminated, or TokenCompleted and TokenArrived, or TokenCompleted (final) and new tokens.
        """
        if not node.outgoing:
            self.end(token, "end")
            return
        self.moved[token.scope] = None
        if node.forks:
            self._fork(node, token, flows)
            return
        (flow,) = flows
        self.emit(e.TokenCompleted(token=token.id, node=node.id))
        self.emit(e.TokenArrived(token=token.id, node=flow.target, flow=flow.id))
        self._queue.append(token.id)

    def _fork(self, node: Node, token: Token, flows: Iterable[Flow]) -> None:
        self.emit(e.TokenCompleted(token=token.id, node=node.id, final=True))
        group = self.new_id()
        groups = {**token.groups, node.id: group}
        for flow in flows:
            self.create_token(
                flow.target,
                token.scope,
                "fork",
                flow=flow.id,
                groups=groups,
                parallel_group=group,
                mode=token.mode,
            )

    def end(self, token: Token, reason: str) -> None:
        """End a token. Emits TokenTerminated; the scope's end is looked at when it was the last one."""
        self.emit(e.TokenTerminated(token=token.id, node=token.node, reason=reason))
        self.moved[token.scope] = None

    def conditional_flows(self, node: Node, token: Token) -> tuple[Flow, ...]:
        """Return the flows by the rule for activities and events (semantics §3).

        Raises:
            NodeFailed: `NoFlow` where none can be taken, `ExpressionFailed`.
        """
        flows = self.graph.flows
        if len(node.outgoing) == 1:
            flow = flows[node.outgoing[0]]
            if flow.condition is None or self.truth(flow.condition, token):
                return (flow,)
            raise self.no_flow(node)
        taken: list[Flow] = []
        any_true = False
        for name in node.outgoing:
            flow = flows[name]
            if name == node.default:
                continue
            if flow.condition is None:
                taken.append(flow)
            elif self.truth(flow.condition, token):
                taken.append(flow)
                any_true = True
        if node.default is not None and not any_true:
            taken.append(flows[node.default])
        if node.outgoing and not taken:
            raise self.no_flow(node)
        return tuple(taken)

    @staticmethod
    def no_flow(node: Node) -> NodeFailed:
        """Return the failure of a node none of whose flows can be taken."""
        return NodeFailed("NoFlow", f"No outgoing flow of {node.id} can be taken: no condition is true.")

    # expressions and variables

    def lookup(self, token: Token) -> ScopeLookup:
        """Return the variables as seen from a token."""
        return ScopeLookup(self.state, token.scope, self.context.now)

    def truth(self, condition: Expression, token: Token) -> bool:
        """Evaluate a condition as seen from a token.

        Raises:
            NodeFailed: `ExpressionFailed`.
        """
        try:
            return condition.truth(self.lookup(token), ExecutionObject(self, token))
        except EvaluationFailed as failure:
            raise NodeFailed("ExpressionFailed", str(failure)) from None

    def evaluate(self, expression: Expression, token: Token) -> Any:
        """Evaluate an expression as seen from a token.

        Raises:
            NodeFailed: `ExpressionFailed`.
        """
        try:
            return expression.evaluate(self.lookup(token), ExecutionObject(self, token))
        except EvaluationFailed as failure:
            raise NodeFailed("ExpressionFailed", str(failure)) from None

    def set_variables(self, scope: Id, variables: Mapping[str, Any], *, local: bool = False) -> None:
        """Set variables as a completion does: each where it stands outwards, else in the process; `local`: here.

        Emits VariableSet for each, in the order given.
        """
        for name, value in variables.items():
            owner = scope if local else owner_of(self.state, scope, name)
            self.emit(e.VariableSet(scope=owner, name=name, value=value))

    # failing

    def fail(self, token: Token, failure: NodeFailed) -> None:
        """The token cannot go on. Emits TokenFailed, IncidentOpened, IncidentDescribed."""
        self.emit(e.TokenFailed(token=token.id, node=token.node, phase=token.phase))
        self.passes.clear()
        self.open_incident(failure.kind, failure.message, token.node, token.id)
        self.moved[token.scope] = None

    def open_incident(self, kind: str, message: str, node: str, token: Id | None) -> None:
        """Emit IncidentOpened, IncidentDescribed."""
        incident = self.new_id()
        self.emit(e.IncidentOpened(incident=incident, kind=kind, token=token, node=node))
        self.emit(e.IncidentDescribed(incident=incident, token=token, node=node, message=message))

    # the loop

    def settle(self) -> None:
        """Move tokens, in the order in which they became able to, until the queue is empty or the bound is met."""
        queue = self._queue
        limit = self.context.limits.steps
        while queue:
            if self._steps >= limit:
                self._continue_later()
                return
            token = self.state.tokens[queue.popleft()]
            if token.status is TokenStatus.READY:
                self._step(token)

    def _step(self, token: Token) -> None:
        node = self.graph.nodes[token.node]
        element = self._elements[node.tag]
        mark = self.state.mark() if element.effects else None
        length = len(self.events)
        try:
            if token.phase == AFTER:
                self.leave(node, token)
            elif node.before and token.id not in self._admitted:
                self.create_job(node, token, "before")
            else:
                self._admitted.discard(token.id)
                element.enter(self, node, token)
        except NodeFailed as failure:
            if mark is not None and len(self.events) > length:
                self.state.rollback(mark)
                del self.events[length:]
            self.fail(self.state.tokens[token.id], failure)

    def _count(self, node: Node) -> None:
        self._steps += 1
        passes = self.passes.get(node.id, 0) + 1
        self.passes[node.id] = passes
        if passes > self.context.limits.passes:
            raise NodeFailed(
                "TooManyPasses", f"{node.id} was passed {passes - 1} times without a wait state."
            )

    def _continue_later(self) -> None:
        passes = dict(self.passes)
        while self._queue:
            token = self.state.tokens[self._queue.popleft()]
            if token.status is TokenStatus.READY:
                self.create_job(self.graph.nodes[token.node], token, "continuation", passes=passes)

    def create_job(
        self, node: Node, token: Token, kind: str, handler: str = "", passes: Mapping[str, int] | None = None
    ) -> None:
        """Create a job for a token that stays Ready until a cluster begins it. Emits JobCreated."""
        self.emit(
            e.JobCreated(
                job=self.new_id(),
                token=token.id,
                node=node.id,
                kind=kind,
                handler=handler,
                retries=node.job_retries,
                available_at=self.context.now,
                passes=passes,
            )
        )
        self.moved[token.scope] = None
