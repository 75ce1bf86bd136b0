"""One command at work: moves tokens until all of them have come to rest.

The run is what elements act on. It keeps the queue of tokens that can move, counts steps, and turns a node that cannot
do its work into an incident.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bpm.core import activities, leaving
from bpm.core import events as e
from bpm.core.arming import arm_handlers
from bpm.core.commands import CancelInstance
from bpm.core.compensation import saga
from bpm.core.compensation.records import record_left
from bpm.core.context import Context
from bpm.core.failure import NodeFailed
from bpm.core.graph import Activity, Graph, Node
from bpm.core.ids import Id
from bpm.core.layers import has_job, layer_of
from bpm.core.phases import AFTER, ARRIVED, BEHIND, LEAVING, OPENINGS, UNARMED
from bpm.core.stage import Place, Spot, Stage
from bpm.core.state import State
from bpm.core.token import Token, TokenStatus, Wait

if TYPE_CHECKING:
    from bpm.core.elements.element import Element


class Run(Stage):
    """One command's work on one instance.

    Attributes:
        throwing: tokens that stand at an event that throws; they go on when all others have come to rest.
        brought: token at an event to what came along and is seen only there.
        passes: node to passes since the last wait state.
    """

    __slots__ = ("_admitted", "_elements", "_queue", "_steps", "brought", "passes", "throwing")

    def __init__(
        self, graph: Graph, state: State, context: Context, elements: Mapping[str, Element[Any]]
    ) -> None:
        super().__init__(graph, state, context)
        self.throwing: deque[Id] = deque()
        self.brought: dict[Id, dict[str, Any]] = {}
        self.passes: dict[str, int] = dict(state.instance.passes)
        self._elements = elements
        self._admitted: set[Id] = set()
        self._queue: deque[Id] = deque()
        self._steps = 0

    def element(self, node: Node) -> Element[Any]:
        """Return the behaviour of a node."""
        return self._elements[node.tag]

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

    @property
    def settled(self) -> bool:
        """Whether nothing is left that could set something going in this command."""
        return not (self.busy or self.moved or self.changed or self.opened)

    def block(self, token: Token, wait: Wait) -> None:
        """Bring a token to rest. Emits TokenBlocked."""
        self.emit(e.TokenBlocked(token=token.id, node=token.node, wait=wait))
        self.moved[token.scope] = None

    def leave(self, node: Node, token: Token) -> None:
        """Let a token leave its node: an activity's own scope, or by the flows its element chooses.

        A job may stand before that; end listeners are told first.

        Raises:
            NodeFailed: before anything but effects of listeners is emitted.
        """
        layer = layer_of(self, node, token)
        if token.phase not in BEHIND:
            leaving.finish_unlayered(self, node, token, layer)
            if has_job(node, layer, "after"):
                self.create_job(node, token, "after")
                return
        self._admitted.discard(token.id)
        if layer is not None:
            leaving.leave_layer(self, node, token, layer)
            return
        copies = node.completion_quantity if isinstance(node, Activity) else 1
        around = leaving.watcher(self, node)
        enough = around is not None and self.element(around).satisfied(self, around, token)
        flows = self._elements[node.tag].choose(self, node, token)
        record_left(self, node, token)
        leaving.take(self, node, token, flows, copies)
        if around is not None and enough:
            self.element(around).close(self, around, token.scope)

    def fail(self, token: Token, failure: NodeFailed) -> None:
        """The token cannot go on: the saga around it compensates, else an incident opens.

        What came with its event, to be mapped, is kept as if there were nothing to map.
        """
        brought = self.brought.pop(token.id, None)
        if brought:
            self.set_variables(token.scope, brought)
        if not saga.begin(self, token, failure):
            super().fail(token, failure)

    def end(self, token: Token, reason: str) -> None:
        """End a token. Emits TokenTerminated; the scope's end is looked at when it was the last one.

        The instance that it has called is cancelled. Emits CallEnded before.
        """
        called = self.state.tokens[token.id].called
        if called is not None:
            self.emit(e.CallEnded(token=token.id, node=token.node, called=called, outcome="cancelled"))
            self.send(called, CancelInstance(reason=f"the call at {token.node} ended", by_caller=True))
        self.emit(e.TokenTerminated(token=token.id, node=token.node, reason=reason))
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
        if token.phase in OPENINGS:
            self._guarded(node, token, self._open)
        elif token.phase in LEAVING:
            self._guarded(node, token, lambda run, node, token: run.leave(node, token))
        elif self._stands_before(node, token):
            self._put_off(node, token, "before")
        else:
            self._admitted.discard(token.id)
            self._guarded(node, token, self._enter)

    def _open(self, _: Run, node: Node, token: Token) -> None:
        """Tell the start listeners of the scope that this token begins, then let it go on."""
        scope = self.state.scopes[token.scope]
        if token.phase in UNARMED:
            arm_handlers(self, scope.id)
        self.listen(self.graph.scopes[scope.node].on_start, Spot(scope.id, scope.node))
        if token.phase in ARRIVED:
            self.leave(node, token)
        elif self._stands_before(node, token):
            self.create_job(node, token, "before")
        else:
            self._admitted.discard(token.id)
            self._enter(self, node, token)

    def _stands_before(self, node: Node, token: Token) -> bool:
        """Return whether a job stands before the node; where several tokens are needed, it comes after the last."""
        if token.id in self._admitted or not has_job(node, layer_of(self, node, token), "before"):
            return False
        return not (isinstance(node, Activity) and activities.waits_for_more(node, token))

    def _enter(self, _: Run, node: Node, token: Token) -> None:
        element = self._elements[node.tag]
        if isinstance(node, Activity):
            activities.enter(self, element, node, token)
        else:
            self.listen(node.on_start, token)
            element.enter(self, node, token)

    def _guarded(self, node: Node, token: Token, work: Any) -> None:
        mark = self.state.mark()
        length, sent = len(self.events), len(self.outgoing)
        try:
            self._count(node)
            work(self, node, token)
        except NodeFailed as failure:
            if len(self.events) > length:
                self.state.rollback(mark)
                del self.events[length:], self.outgoing[sent:]
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
                self._put_off(self.graph.nodes[token.node], token, "continuation", passes)

    def _put_off(self, node: Node, token: Token, kind: str, passes: Mapping[str, int] | None = None) -> None:
        try:
            self.create_job(node, token, kind, passes=passes)
        except NodeFailed as failure:
            self.fail(token, failure)


__all__ = ["Place", "Run"]
