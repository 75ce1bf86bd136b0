"""Compensation, sagas and cancelling in any order: every invariant holds, and every instance comes to its end."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from bpm.core import commands as c
from tests.support.core_host import CoreHost
from tests.support.play import Case, Play

BRANCHES = """
    start s -> f
    par f -> q, m, w
    sub q items="${items}" undo=uq -> j
      start qs -> a
      user a undo=ua -> g
      user ua
      xor g -> inner [again], qx [else]
      throw inner compensate -> qx
      end qx
    user uq
    external m items="${items}" seq undo=um -> j
    external um
    external w undo=uw -> j
    user uw
    boundary b at=w error=E -> early
    throw early compensate nowait -> jx
    end jx
    par j -> last
    user last -> t
    throw t compensate -> x
    end x
    handler h
      start hs message=stop -> hu
      user hu undo=uhu -> hthr
      user uhu
      throw hthr compensate -> hx
      end hx
"""
TRANSACTIONS = """
    start s -> tx
    transaction tx mi=2 saga=local -> after
      start ts -> f
      par f -> a, in, b
      user a undo=ua -> g
      user ua
      xor g -> no [again], j [else]
      end no cancel
      sub in -> j
        start is -> x
        external x undo=ux -> ix
        external ux
        end ix
        handler ch
          start cs compensate -> cu
          user cu -> cthr
          throw cthr compensate -> cx
          end cx
      external b mi=2 undo=ub -> j
      sub ub
        start us -> uu
        user uu undo=uuu -> ue
        user uuu
        end ue compensate
      par j -> te
      end te
    boundary off at=tx cancel -> sorry
    user sorry -> t1
    throw t1 compensate=tx -> e1
    end e1
    user after -> t2
    throw t2 compensate -> e2
    end e2
"""
AD_HOC = """
    start s -> q
    adhoc q until="${again}" rest=false ordering=Sequential saga=local -> z
      user a undo=ua -> b
      user ua
      external b loop="${loopCounter < 1}" undo=ub
      user ub
      sub d undo=ud
        start ds -> de
        external de -> dx
        end dx
      user ud
    user z gives=2 -> y
    user y needs=2 -> t
    throw t compensate=q -> e
    end e
"""
MOST = 120
"""Commands after which an instance must have ended."""


def commands(case: Case, chance: random.Random) -> Iterator[list[c.Command]]:
    """Yield what could happen next: work done, given up, ended by an error, messages, retries."""
    state = case.state
    for user in case.tasks():
        yield [c.CompleteUserTask(task=user.id, variables={"again": chance.random() < 0.3})]
    for task in state.external_tasks.values():
        if task.status == "READY":
            lock = c.LockExternalTasks(tasks=(task.id,), worker="w", lock_ms=1_000)
            yield [lock, c.CompleteExternalTask(task=task.id, worker="w")]
            yield [lock, c.FailExternalTask(task=task.id, worker="w", error="no", retries=0)]
            code = chance.choice(["E", "other"])
            yield [lock, c.ThrowExternalTaskError(task=task.id, worker="w", error_code=code)]
    for token in case.live():
        if token.status == "Failed":
            yield [c.RetryToken(token=token.id)]
    for row in state.subscriptions.values():
        if row.status == "OPEN":
            yield [c.TriggerMessage(subscription=row.id)]


@pytest.mark.parametrize("saga", [None, "local", "global"])
@pytest.mark.parametrize(
    "model", [BRANCHES, TRANSACTIONS, AD_HOC], ids=["branches", "transactions", "ad-hoc"]
)
@pytest.mark.parametrize("seed", range(8))
def test_whatever_happens_the_instance_ends_with_nothing_left_half_undone(
    model: str, saga: str | None, seed: int
) -> None:
    chance = random.Random(seed)
    case = Play(CoreHost()).grow(model, saga=saga, items=[1, 2, 3], again=False)
    for _ in range(MOST):
        if case.state.instance.ended:
            break
        for command in chance.choice(list(commands(case, chance))):
            case.do(command)
    assert case.status == "COMPLETED"
    assert {row.status for row in case.state.compensations.values()} <= {"OPEN", "COMPENSATED", "DISCARDED"}
