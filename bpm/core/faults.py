"""Errors and escalations: thrown at a node, caught by the nearest handler outwards (semantics §4).

At one scope an event subprocess is asked before a boundary event, and a handler with the code before one without. What
is thrown inside an event subprocess is not offered to event subprocesses of the scope around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from bpm.core import events as e
from bpm.core.between import OfferFault
from bpm.core.event_mappings import hand_on, stays_local
from bpm.core.failure import NodeFailed
from bpm.core.graph import Activity, Node
from bpm.core.ids import Id
from bpm.core.layers import ACTIVITY, EVENT_SUBPROCESS, LAYERS, UNDOING
from bpm.core.rows import Scope
from bpm.core.token import Token, TokenStatus, Wait

if TYPE_CHECKING:
    from bpm.core.coded import Coded
    from bpm.core.run import Run

ERROR = "errorEventDefinition"
ESCALATION = "escalationEventDefinition"


class Catcher(NamedTuple):
    """A catching event: its node, the scope that owns it, and what it catches."""

    node: Node
    scope: Id
    definition: Coded


def throw_error(
    run: Run, token: Token, code: str, message: str = "", variables: Mapping[str, Any] | None = None
) -> bool:
    """Throw an error at a token. Emits ErrorThrown, then what the handler does; uncaught, the token fails.

    Returns whether it was caught.
    """
    catcher = find_catcher(run, token.scope, ERROR, code)
    caught = catcher.node.id if catcher is not None else None
    run.emit(e.ErrorThrown(token=token.id, node=token.node, code=code, caught=caught))
    if catcher is None:
        run.set_variables(token.scope, variables or {})
        _uncaught(run, token, code, message)
        return False
    catch_at(run, catcher, code, message, variables or {})
    return True


def _uncaught(run: Run, token: Token, code: str, message: str) -> None:
    if run.state.instance.parent_instance is not None:
        offer_to_caller(run, token, "error", code, message)
        return
    run.fail(run.token(token.id), uncaught(code, message))


def uncaught(code: str, message: str) -> NodeFailed:
    """Return the failure of a token whose error nobody catches."""
    text = f"The error {code!r} is caught nowhere" + (f": {message}" if message else ".")
    return NodeFailed("UncaughtError", text)


def offer_to_caller(run: Run, token: Token, fault: str, code: str, message: str) -> None:
    """Nothing in this called instance catches it: the caller is asked, the token waits for the answer.

    Emits TokenBlocked, FaultOffered; before that TokenResumed where it waited for its work.
    """
    if run.token(token.id).status is TokenStatus.WAITING:
        run.emit(e.TokenResumed(token=token.id, node=token.node))
    run.block(run.token(token.id), Wait.PROPAGATION)
    run.emit(e.FaultOffered(token=token.id, node=token.node, fault=fault, code=code, message=message))
    instance = run.state.instance
    assert instance.parent_instance is not None, "only called instances have a caller to ask"
    assert instance.parent_token is not None, "a caller waits with a token"
    content = OfferFault(
        token=instance.parent_token,
        called=instance.id,
        fault=fault,
        code=code,
        message=message,
        path=((instance.id, token.id),),
    )
    run.send(instance.parent_instance, content)


def throw_escalation(run: Run, token: Token, code: str, variables: Mapping[str, Any] | None = None) -> bool:
    """Throw an escalation at a token. Emits EscalationThrown, then what the handler does; uncaught, nothing.

    Returns whether it was caught.
    """
    catcher = find_catcher(run, token.scope, ESCALATION, code)
    caught = catcher.node.id if catcher is not None else None
    run.emit(e.EscalationThrown(token=token.id, node=token.node, code=code, caught=caught))
    if catcher is None:
        if run.state.instance.parent_instance is not None:
            offer_to_caller(run, token, "escalation", code, "")
        return False
    catch_at(run, catcher, code, "", variables or {})
    return True


def catch_at(run: Run, catcher: Catcher, code: str, message: str, variables: Mapping[str, Any]) -> None:
    """Let a handler catch, with what came along and the variables that it declares for code and message."""
    definition = catcher.definition
    values = dict(variables)
    if definition.code_variable:
        values[definition.code_variable] = code
    if definition.message_variable:
        values[definition.message_variable] = message or None
    run.state.require_everything(f"{code} is caught at {catcher.node.id}")
    parent = run.state.scopes[catcher.scope].parent
    local = stays_local(catcher.node, values)
    run.set_variables(
        parent or catcher.scope, {name: value for name, value in values.items() if name not in local}
    )
    begun = len(run.events)
    run.element(catcher.node).caught(run, catcher.node, catcher.scope)
    hand_on(run, catcher.node, parent or catcher.scope, local, begun)


def find_catcher(run: Run, scope: Id, tag: str, code: str) -> Catcher | None:
    """Return the nearest handler for a code, None where there is none in this instance."""
    inside: Scope | None = None
    for row in run.state.chain(scope):
        found = _best(run, _candidates(run, row, inside, tag), code)
        if found is not None:
            return found
        inside = row
    return None


def _candidates(run: Run, row: Scope, inside: Scope | None, tag: str) -> Iterator[Catcher]:
    """Yield the handlers that belong to one scope."""
    graph = run.graph
    if row.kind in UNDOING:
        return
    if row.kind not in LAYERS:
        if inside is None or inside.kind != EVENT_SUBPROCESS:
            own = graph.scopes.get(row.node)
            for handler in own.handlers if own is not None else ():
                for start in graph.scopes[handler].starts:
                    yield from _of_node(graph.nodes[start], row.id, tag)
    elif holds_boundary(run, row):
        node = graph.nodes[row.node]
        assert isinstance(node, Activity), "only activities have such scopes"
        for boundary in node.boundary:
            yield from _of_node(graph.nodes[boundary], row.id, tag)


def holds_boundary(run: Run, row: Scope) -> bool:
    """Return whether a scope of an activity is the one at which its boundary events are armed."""
    node = run.graph.nodes[row.node]
    return row.kind != ACTIVITY or (isinstance(node, Activity) and node.loop is None)


def _of_node(node: Any, scope: Id, tag: str) -> Iterator[Catcher]:
    for found, definition in node.triggers:
        if found == tag:
            yield Catcher(node, scope, definition)


def _best(run: Run, candidates: Iterator[Catcher], code: str) -> Catcher | None:
    found: Catcher | None = None
    for catcher in candidates:
        expression = catcher.definition.code
        if expression is None:
            found = found or catcher
        elif code and str(expression.text) == code:
            return catcher
    return found
