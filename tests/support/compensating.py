"""What scenarios of compensation and sagas do and look at again and again."""

from __future__ import annotations

from bpm.core import commands as c
from bpm.core import events as e
from tests.support.play import Case


def complete(case: Case, *nodes: str) -> None:
    """Complete the oldest task of each node, one after the other."""
    for node in nodes:
        case.complete(node)


def compensated(case: Case) -> list[str]:
    """Return the activities that have been compensated, in order."""
    return [event.node for event in case.of(e.CompensationCompleted)]


def seen_by(case: Case, node: str, name: str) -> object:
    """Return the JSON text of a variable as the one token at a node sees it."""
    return _seen(case, case.token(node).id, name)


def item_of(case: Case, token: str) -> object:
    """Return the JSON text of the item that a token sees."""
    return _seen(case, token, "item")


def _seen(case: Case, token: str, name: str) -> object:
    state = case.state
    for row in state.chain(state.tokens[token].scope):
        found = state.variables.get((row.id, name))
        if found is not None:
            return found.value
    return None


def trigger(case: Case, node: str) -> None:
    """Let the message come for which a node waits."""
    (row,) = [row for row in case.state.subscriptions.values() if row.node == node and row.status == "OPEN"]
    case.do(c.TriggerMessage(subscription=row.id))


def give_up(case: Case, node: str) -> None:
    """Let a worker fail the newest external task of a node for good."""
    task = case.external(node)
    case.do(c.LockExternalTasks(tasks=(task.id,), worker="w", lock_ms=1_000))
    case.do(c.FailExternalTask(task=task.id, worker="w", error="no", retries=0))


def throw_error(case: Case, node: str, code: str) -> None:
    """Let a worker end the newest external task of a node by an error."""
    task = case.external(node)
    case.do(c.LockExternalTasks(tasks=(task.id,), worker="w", lock_ms=1_000))
    case.do(c.ThrowExternalTaskError(task=task.id, worker="w", error_code=code))
