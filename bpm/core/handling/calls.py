"""What called instances and their callers tell each other (semantics §4).

An error or escalation that a called instance does not catch goes outwards, caller by caller. Who catches it beside the
call answers the thrower directly. Who is interrupted by it first ends what it has called, innermost first; each brings
its variables along; then the handler starts. Where a call is over when word comes, nothing happens.
"""

from __future__ import annotations

from typing import Any, Final

from bpm.core import between as b
from bpm.core import events as e
from bpm.core.calls import CallActivity, keep_returned, variables_out
from bpm.core.failure import NodeFailed
from bpm.core.faults import ERROR, ESCALATION, Catcher, catch_at, find_catcher, uncaught
from bpm.core.handling.guards import require_alive
from bpm.core.handling.instances import end_instance
from bpm.core.phases import BEGUN
from bpm.core.run import Run
from bpm.core.token import Token, TokenStatus, Wait

_TAGS: Final = {"error": ERROR, "escalation": ESCALATION}


def _calling(run: Run, command: b.CallCommand) -> Token | None:
    """Return the token whose call this is, None where that is over."""
    require_alive(run)
    token = run.state.tokens.get(command.token)
    waits = token is not None and token.called == command.called and token.status is TokenStatus.WAITING
    return token if waits else None


def _end_call(run: Run, token: Token, called: str, outcome: str) -> None:
    run.emit(e.CallEnded(token=token.id, node=token.node, called=called, outcome=outcome))


def _node(run: Run, token: Token) -> CallActivity:
    node = run.graph.nodes[token.node]
    assert isinstance(node, CallActivity), "only call activities call"
    return node


def complete(run: Run, command: b.CompleteCall) -> dict[str, Any]:
    """Emit CallEnded, VariableSet …; the token goes on. Where a mapping fails it can be done again by a retry."""
    token = _calling(run, command)
    if token is None:
        return {}
    node = _node(run, token)
    try:
        returned = variables_out(run, node, token, command.variables)
    except NodeFailed as failure:
        run.fail(token, failure)
        return {}
    _end_call(run, token, command.called, "completed")
    keep_returned(run, node, token, returned)
    run.element(node).triggered(run, node, run.token(token.id))
    return {}


def fail(run: Run, command: b.FailCall) -> dict[str, Any]:
    """Emit CallEnded; the token fails. A retry calls anew."""
    token = _calling(run, command)
    if token is not None:
        _end_call(run, token, command.called, "failed")
        run.fail(run.token(token.id)._replace(phase=BEGUN), NodeFailed(command.kind, command.message))
    return {}


def offer_fault(run: Run, command: b.OfferFault) -> dict[str, Any]:
    """Find who catches it: nobody here, somebody beside the call, or somebody whom it interrupts."""
    token = _calling(run, command)
    if token is None:
        return {}
    catcher = find_catcher(run, token.scope, _TAGS[command.fault], command.code)
    if catcher is None:
        _pass_on(run, token, command)
    elif run.element(catcher.node).interrupts(catcher.node):
        inner, inner_token = command.path[-1]
        here = (run.state.instance.id, token.id)
        content = b.EndByFault(token=inner_token, path=command.path[:-1], back=(here,), **_of_fault(command))
        run.send(inner, content)
    else:
        _catch(run, token, catcher, command)
        _answer(run, command, caught=True)
    return {}


def _of_fault(command: b.OfferFault | b.EndByFault | b.FinishFault) -> dict[str, Any]:
    return {"fault": command.fault, "code": command.code, "message": command.message}


def _pass_on(run: Run, token: Token, command: b.OfferFault) -> None:
    instance = run.state.instance
    if instance.parent_instance is None or instance.parent_token is None:
        _answer(run, command, caught=False)
        return
    run.emit(e.FaultOffered(token=token.id, node=token.node, **_of_fault(command)))
    content = b.OfferFault(
        token=instance.parent_token,
        called=instance.id,
        path=(*command.path, (instance.id, token.id)),
        **_of_fault(command),
    )
    run.send(instance.parent_instance, content)


def _answer(run: Run, command: b.OfferFault, *, caught: bool) -> None:
    origin, thrower = command.path[0]
    run.send(origin, b.AnswerFault(token=thrower, caught=caught, **_of_fault(command)))


def _catch(run: Run, token: Token, catcher: Catcher, command: b.OfferFault | b.FinishFault) -> None:
    shape = e.ErrorThrown if command.fault == "error" else e.EscalationThrown
    run.emit(shape(token=token.id, node=token.node, code=command.code, caught=catcher.node.id))
    catch_at(run, catcher, command.code, command.message, {})


def _waits_for_answer(run: Run, token: Token | None) -> bool:
    return token is not None and token.wait is Wait.PROPAGATION and token.status is TokenStatus.WAITING


def answer_fault(run: Run, command: b.AnswerFault) -> dict[str, Any]:
    """An escalation's thrower goes on; an error that nobody caught fails its token."""
    require_alive(run)
    token = run.state.tokens.get(command.token)
    if token is None or not _waits_for_answer(run, token):
        return {}
    if command.fault == "error":
        run.fail(token, uncaught(command.code, command.message))
    else:
        run.wake(token)
    return {}


def end_by_fault(run: Run, command: b.EndByFault) -> dict[str, Any]:
    """End what is called further inwards first; then this instance, whose caller is told."""
    require_alive(run)
    token = run.state.tokens.get(command.token)
    if command.path:
        inner, inner_token = command.path[-1]
        if token is not None and token.called == inner:
            here = (run.state.instance.id, token.id)
            content = b.EndByFault(
                token=inner_token, path=command.path[:-1], back=(*command.back, here), **_of_fault(command)
            )
            run.send(inner, content)
    elif _waits_for_answer(run, token):
        _end(run, command)
    return {}


def _end(run: Run, command: b.EndByFault | b.FinishFault) -> None:
    *back, (outer, outer_token) = command.back
    called = run.state.instance.id
    end_instance(run, f"{command.fault} {command.code}")
    content = b.FinishFault(token=outer_token, called=called, back=tuple(back), **_of_fault(command))
    run.send(outer, content)


def finish_fault(run: Run, command: b.FinishFault) -> dict[str, Any]:
    """Emit CallEnded, VariableSet …; then the handler starts, or this instance ends too."""
    token = _calling(run, command)
    if token is None:
        return {}
    node = _node(run, token)
    _end_call(run, token, command.called, "fault")
    token = run.token(token.id)
    try:
        keep_returned(run, node, token, variables_out(run, node, token, command.variables))
    except NodeFailed as failure:
        run.fail(token._replace(phase=BEGUN), failure)
        return {}
    if command.back:
        _end(run, command)
        return {}
    catcher = find_catcher(run, token.scope, _TAGS[command.fault], command.code)
    if catcher is None:
        run.fail(token._replace(phase=BEGUN), uncaught(command.code, command.message))
    else:
        _catch(run, token, catcher, command)
    return {}


def note_dropped(run: Run, command: b.NoteDropped) -> dict[str, Any]:
    """Emit DeliveryDropped, whatever the instance's status."""
    run.emit(e.DeliveryDropped(command=command.command, target=command.target, reason=command.reason))
    return {}


def note_undeliverable(run: Run, command: b.NoteUndeliverable) -> dict[str, Any]:
    """Open an incident; of a call that could not be started, at the calling token, which fails."""
    require_alive(run)
    token = run.state.tokens.get(command.token or "")
    message = f"{command.command} could not be delivered: {command.error}"
    if token is not None and token.called == command.target and token.status is TokenStatus.WAITING:
        _end_call(run, token, token.called or "", "failed")
        run.fail(run.token(token.id)._replace(phase=BEGUN), NodeFailed("DeliveryFailed", message))
    else:
        run.open_incident("DeliveryFailed", message, run.graph.key, None)
    return {}
