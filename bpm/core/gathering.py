"""An activity that starts only when several tokens have arrived (`startQuantity`, semantics §4).

The tokens wait as at a join, on whichever flows they came and of whichever groups; when enough are there, all of them
are consumed and one token begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpm.core import events as e
from bpm.core.graph import Activity
from bpm.core.ids import NIL
from bpm.core.joins import QUANTITY, consume, open_state, put_out
from bpm.core.phases import GATHERED
from bpm.core.rows import JoinStatus
from bpm.core.token import Token, Wait

if TYPE_CHECKING:
    from bpm.core.run import Run


def gather(run: Run, node: Activity, token: Token) -> None:
    """Let a token wait for others, or begin with all that wait.

    Emits JoinOpened where none is open, TokenBlocked, JoinArrived; with the last one TokenCompleted (final) for each,
    JoinFired and the token that begins.
    """
    join = run.state.join(token.scope, node.id, NIL)
    if join is None or join.status is not JoinStatus.OPEN:
        generation = join.generation + 1 if join is not None else 1
        join = open_state(run, node, token.scope, NIL, QUANTITY, generation, expected=node.start_quantity)
    held = [run.state.waiting_at(join.id, flow) for flow in (*node.incoming, "")]
    arrived = sum(map(len, held)) + 1
    run.emit(e.TokenBlocked(token=token.id, node=node.id, wait=Wait.JOIN, join=join.id))
    run.emit(
        e.JoinArrived(
            token=token.id,
            node=node.id,
            join=join.id,
            flow=token.flow or "",
            arrived=arrived,
            expected=join.expected,
        )
    )
    run.moved[token.scope] = None
    if arrived < join.expected:
        return
    waiting = sorted([*(one for tokens in held for one in tokens), token.id])
    consumed = [run.token(one) for one in waiting]
    consume(run, node, consumed)
    run.emit(e.JoinFired(join=join.id, node=node.id))
    put_out(run, node, token.scope, consumed, phase=GATHERED)
