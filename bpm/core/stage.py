"""What can be done to a state in the course of a command: events, evaluations, variables, incidents.

The part of a run that knows nothing of how tokens move.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from bpm.core import events as e
from bpm.core.between import Broadcast, Outgoing, Sendable
from bpm.core.context import Context
from bpm.core.evolve import APPLY
from bpm.core.execution import ExecutionObject
from bpm.core.expressions import EvaluationFailed, Expression
from bpm.core.failure import NodeFailed
from bpm.core.graph import Graph, Node
from bpm.core.ids import Id
from bpm.core.lookup import BoundLookup, ScopeLookup, owner_of
from bpm.core.priorities import evaluate_priority
from bpm.core.state import State
from bpm.core.token import Token


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


class Spot(NamedTuple):
    """A place without token."""

    scope: Id
    node: str


class Stage:
    """A state, and what a command does to it.

    Attributes:
        events: what happened so far, in order.
        moved: scopes in which a token moved or ended; their joins are looked at when all tokens rest.
        changed: variables that were set or removed since conditions were last asked: (scope, name, what).
        opened: conditions that began to be waited for since they were last asked.
        outgoing: what goes to other instances after the commit, in order.
        bound: a node, and names that its expressions see before all variables.
    """

    __slots__ = ("bound", "changed", "context", "events", "graph", "moved", "opened", "outgoing", "state")

    def __init__(self, graph: Graph, state: State, context: Context) -> None:
        self.graph = graph
        self.state = state
        self.context = context
        self.events: list[e.Event] = []
        self.moved: dict[Id, None] = {}
        self.changed: list[tuple[Id, str, str]] = []
        self.opened: list[Id] = []
        self.outgoing: list[Outgoing | Broadcast] = []
        self.bound: tuple[str, Mapping[str, Any]] | None = None

    def emit(self, event: e.Event) -> None:
        """Apply an event and keep it."""
        state = self.state
        instance = state.instance
        instance.sequence += 1
        instance.updated_at = self.context.now
        APPLY[type(event)](state, event, self.context.now)
        self.events.append(event)

    def send(self, target: Id | None, content: Sendable) -> None:
        """Send something to another instance, after the commit and in this order."""
        self.outgoing.append(Outgoing(target, content))

    def new_id(self) -> Id:
        """Return a new id and remember that nothing stored can belong to it."""
        made = self.context.ids.next()
        self.state.fresh.add(made)
        return made

    def token(self, token: Id) -> Token:
        """Return the present row of a token."""
        return self.state.tokens[token]

    # expressions and variables

    def lookup(self, place: Place) -> ScopeLookup | BoundLookup:
        """Return the variables as seen from a place."""
        found = ScopeLookup(self.state, place.scope, self.context.now)
        if self.bound is not None and self.bound[0] == place.node:
            return BoundLookup(found, self.bound[1])
        return found

    def truth(self, condition: Expression, place: Place, bound: Mapping[str, Any] | None = None) -> bool:
        """Evaluate a condition as seen from a place.

        Args:
            bound: names that stand before all variables.

        Raises:
            NodeFailed: `ExpressionFailed`.
        """
        try:
            scope = self.lookup(place)
            seen = BoundLookup(scope, bound) if bound else scope
            return condition.truth(seen, ExecutionObject(self, place))
        except EvaluationFailed as failure:
            raise NodeFailed("ExpressionFailed", str(failure)) from None

    def evaluate(self, expression: Expression, place: Place, bound: Mapping[str, Any] | None = None) -> Any:
        """Evaluate an expression as seen from a place.

        Args:
            bound: names that stand before all variables.

        Raises:
            NodeFailed: `ExpressionFailed`.
        """
        try:
            scope = self.lookup(place)
            seen = BoundLookup(scope, bound) if bound else scope
            return expression.evaluate(seen, ExecutionObject(self, place))
        except EvaluationFailed as failure:
            raise NodeFailed("ExpressionFailed", str(failure)) from None

    def listen(self, listeners: tuple[Expression, ...], place: Place) -> None:
        """Evaluate listeners for their effect.

        Raises:
            NodeFailed: `ExpressionFailed`.
        """
        for listener in listeners:
            self.evaluate(listener, place)

    def set_variables(self, scope: Id, variables: Mapping[str, Any], *, local: bool = False) -> None:
        """Set variables as a completion does: each where it stands outwards, else in the process; `local`: here.

        Emits VariableSet for each, in the order given.
        """
        watched = self.state.instance.conditions
        for name, value in variables.items():
            owner = scope if local else self.owner(scope, name)
            if watched:
                there = self.state.variable(owner, name) is not None
                self.changed.append((owner, name, "update" if there else "create"))
            self.emit(e.VariableSet(scope=owner, name=name, value=value))

    def owner(self, scope: Id, name: str) -> Id:
        """Return the nearest scope outwards that has the variable or declares it, else the process's own.

        Raises:
            Missing: it may be stored but was not loaded.
        """
        places = self.graph.declared.get(name)
        if places is not None:
            for row in self.state.chain(scope):
                if row.node in places or self.state.variable(row.id, name) is not None:
                    return row.id
        return owner_of(self.state, scope, name)

    def keep_result(self, token: Token, variables: Mapping[str, Any]) -> None:
        """Set what the work of a token's node gives: as `set_variables`, or local where only mapped ones leave."""
        local = self.graph.nodes[token.node].mappings_local
        self.set_variables(token.scope, variables, local=local)

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
        """Create a job for a token that stays Ready until a cluster begins it. Emits JobCreated.

        Raises:
            NodeFailed: its priority cannot be evaluated.
        """
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
                priority=evaluate_priority(self, node.job_priority, token),
            )
        )
        self.moved[token.scope] = None
