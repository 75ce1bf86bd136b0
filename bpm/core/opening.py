"""Listeners of what no token enters: the process, an event subprocess (semantics §9).

Start listeners are told by the first token inside, before its node; end listeners when the scope completes, all else
being done. Where one of those cannot be evaluated, the scope completes nevertheless: there is no token left to fail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpm.core.arming import arm_handlers
from bpm.core.failure import NodeFailed
from bpm.core.layers import LAYERS
from bpm.core.phases import ARMING, ARMING_CAUGHT, ARRIVED, CAUGHT, OPENING, OPENING_CAUGHT
from bpm.core.stage import Spot

if TYPE_CHECKING:
    from bpm.core.graph import Graph
    from bpm.core.ids import Id
    from bpm.core.rows import Scope
    from bpm.core.run import Run


def first_phase(graph: Graph, scope: str, phase: str = "") -> str:
    """Return the phase of the first token inside a process or event subprocess that begins with a given one."""
    if not graph.scopes[scope].on_start:
        return phase
    return OPENING_CAUGHT if phase == CAUGHT else OPENING


def arm_scope(run: Run, scope: Id) -> NodeFailed | None:
    """Arm what starts event subprocesses of a scope; return why that cannot be done, nothing being armed then."""
    mark, length, opened = run.state.mark(), len(run.events), list(run.opened)
    try:
        arm_handlers(run, scope)
    except NodeFailed as failure:
        run.state.rollback(mark)
        del run.events[length:]
        run.opened = opened
        return failure
    return None


def fail_unarmed(run: Run, token: Id, failure: NodeFailed | None) -> None:
    """Let the first token of a scope whose handlers could not be armed fail before it moves; a retry arms them."""
    if failure is not None:
        row = run.token(token)
        run.fail(row._replace(phase=ARMING_CAUGHT if row.phase in ARRIVED else ARMING), failure)


def tell_end(run: Run, row: Scope) -> None:
    """Evaluate the end listeners of a scope that is about to complete; one that fails leaves an incident."""
    inside = run.graph.scopes.get(row.node)
    if inside is None or not inside.on_end or row.kind in LAYERS:
        return
    mark, length, sent = run.state.mark(), len(run.events), len(run.outgoing)
    try:
        run.listen(inside.on_end, Spot(row.id, row.node))
    except NodeFailed as failure:
        run.state.rollback(mark)
        del run.events[length:], run.outgoing[sent:]
        run.open_incident(failure.kind, failure.message, row.node, None)
