"""One command at work: moves tokens until all of them have come to rest.

The run is what elements act on. It emits events (each applied at once by `evolve`), keeps the queue of tokens that can
move, counts steps, and turns a node that cannot do its work into an incident.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from bpm.core import activities, leaving
from bpm.core import events as e
from bpm.core.context import Context
from bpm.core.evolve import APPLY
from bpm.core.execution import ExecutionObject
from bpm.core.expressions import EvaluationFailed, Expression
from bpm.core.failure import NodeFailed
from bpm.core.graph import Activity, Graph, Node
from bpm.core.ids import Id
from bpm.core.layers import layer_of
from bpm.core.lookup import ScopeLookup, owner_of
from bpm.core.phases import AFTER
from bpm.core.state import State
from bpm.core.token import Token, TokenStatus, Wait

if TYPE_CHECKING:
    from bpm.core.elements.element import Element


class Place(Protocol):
    """Where an expression is evaluated: a token, or an owner without one."""

    @property
    def scope(self) -> Id:
        """The scope from which variables are seen."""
        ...

    @property
    def node(self) -> str:
        """The node whose expression it is."""
        ...


class Run:
    """One command's work on one instance.

    Attributes:
        events: what happened so far, in order.
        moved: scopes in which a token moved or ended; their joins are looked at when all tokens rest.
        changed: variables that were set or removed since conditions were last asked: (scope, name, what).
        opened: conditions that began to be waited for since they were last asked.
        throwing: tokens that stand at an event that throws; they go on when all others have come to rest.
    """

    __slots__ = (
        "_admitted",
        "_elements",
        "_queue",
        "_steps",
        "changed",
        "context",
        "events",
        "graph",
        "moved",
        "opened",
        "passes",
        "state",
        "throwing",
    )

    def __init__(
        self, graph: Graph, state: State, context: Context, elements: Mapping[str, Element[Any]]
    ) -> None:
        self.graph = graph
        self.state = state
        self.context = context
        self.events: list[e.Event] = []
        self.moved: dict[Id, None] = {}
        self.changed: list[tuple[Id, str, str]] = []
        self.opened: list[Id] = []
        self.throwing: deque[Id] = deque()
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
        phase: str = "",
    ) -> Id:
        """Create a token at a node's entrance and let it move. Emits TokenCreated, TokenArrived."""
        token = self.create_waiting(
            node,
            scope,
            reason,
            flow=flow,
            groups=groups,
            parallel_group=parallel_group,
            mode=mode,
            phase=phase,
        )
        self._queue.append(token)
        return token

    def create_waiting(
        self,
        node: str,
        scope: Id,
        reason: str,
        *,
        flow: str | None = None,
        groups: Mapping[str, Id] | None = None,
        parallel_group: Id | None = None,
        mode: str = "forward",
        phase: str = "",
    ) -> Id:
        """Create a token that the caller itself brings on its way. Emits TokenCreated, TokenArrived."""
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
        self.emit(e.TokenArrived(token=token, node=node, flow=flow, phase=phase))
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
        return bool(self._queue or self.throwing)

    def block(self, token: Token, wait: Wait) -> None:
        """Bring a token to rest. Emits TokenBlocked."""
        self.emit(e.TokenBlocked(token=token.id, node=token.node, wait=wait))
        self.moved[token.scope] = None

    def leave(self, node: Node, token: Token) -> None:
        """Let a token leave its node: an activity's own scope, or by the flows its element chooses.

        A job may stand before that.

        Raises:
            NodeFailed: before anything but effects of listeners is emitted.
        """
        inner = layer_of(self, node, token) is not None
        if node.after and not inner and token.id not in self._admitted:
            self.create_job(node, token, "after")
            return
        self._admitted.discard(token.id)
        if inner:
            assert isinstance(node, Activity), "only activities have scopes of their own"
            activities.finish(self, node, token)
            return
        copies = node.completion_quantity if isinstance(node, Activity) else 1
        flows = self._elements[node.tag].choose(self, node, token)
        leaving.take(self, node, token, flows, copies)

    def end(self, token: Token, reason: str) -> None:
        """End a token. Emits TokenTerminated; the scope's end is looked at when it was the last one."""
        self.emit(e.TokenTerminated(token=token.id, node=token.node, reason=reason))
        self.moved[token.scope] = None

    # expressions and variables

    def lookup(self, place: Place) -> ScopeLookup:
        """Return the variables as seen from a place."""
        return ScopeLookup(self.state, place.scope, self.context.now)

    def truth(self, condition: Expression, place: Place) -> bool:
        """Evaluate a condition as seen from a place.

        Raises:
            NodeFailed: `ExpressionFailed`.
        """
        try:
            return condition.truth(self.lookup(place), ExecutionObject(self, place))
        except EvaluationFailed as failure:
            raise NodeFailed("ExpressionFailed", str(failure)) from None

    def evaluate(self, expression: Expression, place: Place) -> Any:
        """Evaluate an expression as seen from a place.

        Raises:
            NodeFailed: `ExpressionFailed`.
        """
        try:
            return expression.evaluate(self.lookup(place), ExecutionObject(self, place))
        except EvaluationFailed as failure:
            raise NodeFailed("ExpressionFailed", str(failure)) from None

    def set_variables(self, scope: Id, variables: Mapping[str, Any], *, local: bool = False) -> None:
        """Set variables as a completion does: each where it stands outwards, else in the process; `local`: here.

        Emits VariableSet for each, in the order given.
        """
        watched = self.state.instance.conditions
        for name, value in variables.items():
            owner = scope if local else owner_of(self.state, scope, name)
            if watched:
                there = self.state.variable(owner, name) is not None
                self.changed.append((owner, name, "update" if there else "create"))
            self.emit(e.VariableSet(scope=owner, name=name, value=value))

    def remove_variable(self, scope: Id, name: str) -> None:
        """Remove a variable of exactly this scope. Emits VariableRemoved."""
        if self.state.instance.conditions:
            self.changed.append((scope, name, "delete"))
        self.emit(e.VariableRemoved(scope=scope, name=name))

    # failing

    def fail(self, token: Token, failure: NodeFailed) -> None:
        """The token cannot go on. Emits TokenFailed, IncidentOpened, IncidentDescribed."""
        self.emit(e.TokenFailed(token=token.id, node=token.node, phase=token.phase))
        self.open_incident(failure.kind, failure.message, token.node, token.id)
        self.moved[token.scope] = None

    def open_incident(self, kind: str, message: str, node: str, token: Id | None) -> None:
        """Emit IncidentOpened, IncidentDescribed."""
        incident = self.new_id()
        self.emit(e.IncidentOpened(incident=incident, kind=kind, token=token, node=node))
        self.emit(e.IncidentDescribed(incident=incident, token=token, node=node, message=message))

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

    # the loop

    def move_one(self) -> bool:
        """Let the first token that can move pass its node; tokens that throw wait until all others rest.

        Returns whether there was one. When the bound of steps is met, all go on in jobs.
        """
        if self._steps >= self.context.limits.steps:
            self._continue_later()
            return False
        while self._queue:
            token = self.state.tokens.get(self._queue.popleft())
            if token is not None and token.status is TokenStatus.READY:
                self._step(token)
                return True
        while self.throwing:
            token = self.state.tokens.get(self.throwing.popleft())
            if token is not None and token.status is TokenStatus.READY:
                node = self.graph.nodes[token.node]
                self._guarded(node, token, self._elements[node.tag].throw)
                return True
        return False

    def _step(self, token: Token) -> None:
        node = self.graph.nodes[token.node]
        if token.phase == AFTER:
            self._guarded(node, token, lambda run, node, token: run.leave(node, token))
        elif node.before and token.id not in self._admitted and layer_of(self, node, token) is None:
            self.create_job(node, token, "before")
        else:
            self._admitted.discard(token.id)
            self._guarded(node, token, self._enter)

    def _enter(self, _: Run, node: Node, token: Token) -> None:
        element = self._elements[node.tag]
        if isinstance(node, Activity):
            activities.enter(self, element, node, token)
        else:
            element.enter(self, node, token)

    def _guarded(self, node: Node, token: Token, work: Any) -> None:
        mark = self.state.mark()
        length = len(self.events)
        try:
            self._count(node)
            work(self, node, token)
        except NodeFailed as failure:
            if len(self.events) > length:
                self.state.rollback(mark)
                del self.events[length:]
            self.fail(self.state.tokens[token.id], failure)
            return
        if self.state.tokens[token.id].status is not TokenStatus.WAITING:
            self._steps += 1

    def _count(self, node: Node) -> None:
        passes = self.passes.get(node.id, 0) + 1
        self.passes[node.id] = passes
        if passes > self.context.limits.passes:
            raise NodeFailed(
                "TooManyPasses", f"{node.id} was passed {passes - 1} times without a wait state."
            )

    def _continue_later(self) -> None:
        passes = dict(self.passes)
        while self._queue or self.throwing:
            queue = self._queue or self.throwing
            token = self.state.tokens.get(queue.popleft())
            if token is not None and token.status is TokenStatus.READY:
                self.create_job(self.graph.nodes[token.node], token, "continuation", passes=passes)
