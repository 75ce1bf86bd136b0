"""Multi-instance and standard loop: a body scope with one token per instance (semantics §4).

The collection is a snapshot taken at entry. A sequential body keeps each item in a hidden variable of its own, whose
name no expression can say, so that going on to the next one costs the same however many there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bpm.core.arming import arm_boundary
from bpm.core.data import UNSET
from bpm.core.execution import to_storable
from bpm.core.failure import NodeFailed
from bpm.core.graph import Activity, MultiInstance, StandardLoop
from bpm.core.ids import Id
from bpm.core.layers import BODY, LOOP, open_activity, open_scope
from bpm.core.lookup import own_variables
from bpm.core.rows import Scope
from bpm.core.token import Token
from bpm.core.values import from_text

if TYPE_CHECKING:
    from bpm.core.run import Run

COUNTS: Final = ("nrOfInstances", "nrOfCompletedInstances", "nrOfActiveInstances")
"""Variables of a multi-instance body."""
MAX_INSTANCES: Final = 1_000_000
MOST_COUNTED: Final = 10_000_000
"""What a loop's own counts may be at most."""
_RESULT: Final = "$result:"
"""Begins the hidden variables that hold what instances gave."""


def enter(run: Run, node: Activity, token: Token) -> None:
    """Open the body, or pass through where there is nothing to do.

    Raises:
        NodeFailed: the cardinality is no whole number above or equal to zero, the collection is no list.
    """
    if isinstance(node.loop, StandardLoop):
        _enter_loop(run, node, node.loop, token)
    elif isinstance(node.loop, MultiInstance):
        _enter_multi(run, node, node.loop, token)


# standard loop


def _enter_loop(run: Run, node: Activity, loop: StandardLoop, token: Token) -> None:
    if loop.test_before and not again(run, loop, token, 0):
        run.leave(node, token)
        return
    body = open_scope(run, LOOP, node, token)
    arm_boundary(run, node, body)
    turn(run, node, body, token.mode, 0)


def turn(run: Run, node: Activity, body: Id, mode: str, number: int) -> None:
    """Begin one turn of a standard loop."""
    run.set_variables(body, {"loopCounter": number}, local=True)
    turn = run.create_waiting(node.id, body, "loop", mode=mode)
    open_activity(run, node, run.token(turn), {})


def again(run: Run, loop: StandardLoop, token: Token, done: int) -> bool:
    """Return whether a standard loop takes another turn."""
    if loop.maximum is not None and done >= loop.maximum:
        return False
    if loop.condition is None:
        return loop.maximum is not None or done == 0
    return run.truth(loop.condition, token)


# multi-instance


def _enter_multi(run: Run, node: Activity, loop: MultiInstance, token: Token) -> None:
    items = _items(run, loop, token)
    count = len(items) if isinstance(items, list) else items
    if count == 0:
        if loop.output_collection:
            run.set_variables(token.scope, {loop.output_collection: []})
        run.leave(node, token)
        return
    body = open_scope(run, BODY, node, token)
    active = 1 if loop.sequential else count
    counts = {"nrOfInstances": count, "nrOfCompletedInstances": 0, "nrOfActiveInstances": active}
    run.set_variables(body, counts, local=True)
    if loop.sequential and isinstance(items, list):
        run.set_variables(body, {item_name(number): item for number, item in enumerate(items)}, local=True)
    arm_boundary(run, node, body)
    for number in range(active):
        item = items[number] if isinstance(items, list) else None
        begin_instance(run, node, loop, body, token.mode, number, item)


def _items(run: Run, loop: MultiInstance, token: Token) -> list[Any] | int:
    if loop.collection is not None:
        value = to_storable("items", run.evaluate(loop.collection, token))["items"]
        if not isinstance(value, list):
            raise NodeFailed("ExpressionFailed", f"The collection {loop.collection.text!r} is no list.")
        return value
    assert loop.cardinality is not None, "a file without either is refused"
    value = run.evaluate(loop.cardinality, token)
    try:
        count = int(str(value))
    except ValueError:
        raise NodeFailed("ExpressionFailed", f"The cardinality {value!r} is no whole number.") from None
    if not 0 <= count <= MAX_INSTANCES:
        raise NodeFailed("ExpressionFailed", f"The cardinality {count} is not between 0 and {MAX_INSTANCES}.")
    return count


def begin_instance(
    run: Run, node: Activity, loop: MultiInstance, body: Id, mode: str, number: int, item: object
) -> None:
    """Begin one instance of a multi-instance activity."""
    variables: dict[str, Any] = {"loopCounter": number}
    if loop.collection is not None and loop.element:
        variables[loop.element] = item
    token = run.create_waiting(node.id, body, "multiInstance", mode=mode)
    open_activity(run, node, run.token(token), variables)


def keep_item(run: Run, token: Token, value: Any) -> None:
    """Keep what one instance gives, until its body completes."""
    body = run.state.scopes[token.scope].parent
    assert body is not None, "an instance stands in its body"
    number = own_count(run, token.scope, "loopCounter")
    run.set_variables(body, {f"{_RESULT}{number}": None if value is UNSET else value}, local=True)


def gather_results(run: Run, row: Scope) -> None:
    """Set the list of what the instances of a body gave, null for those that did not complete."""
    node = run.graph.nodes[row.node]
    loop = node.loop if isinstance(node, Activity) else None
    if not isinstance(loop, MultiInstance) or not loop.output_collection or row.parent is None:
        return
    kept = own_variables(run.state, row.id)
    numbers = [int(name.removeprefix(_RESULT)) for name in kept if name.startswith(_RESULT)]
    count = kept.get("nrOfInstances")
    if not is_count(count):
        count = max(numbers, default=-1) + 1
    results = [kept.get(f"{_RESULT}{number}") for number in range(int(count or 0))]
    run.set_variables(row.parent, {loop.output_collection: results})


def own_variable(run: Run, scope: Id, name: str) -> Any:
    """Return a variable of exactly this scope, 0 where there is none."""
    found = run.state.variable(scope, name)
    return from_text(found.value) if found is not None else 0


def is_count(value: Any) -> bool:
    """Return whether a value can be one of a loop's counts; people may write to them as to any variable."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_COUNTED


def own_count(run: Run, scope: Id, name: str) -> int:
    """Return a count of exactly this scope, 0 where there is none.

    Raises:
        NodeFailed: somebody has made something else of it.
    """
    value = own_variable(run, scope, name)
    if not is_count(value):
        raise NodeFailed("ExpressionFailed", f"{name} is no count any more; it is {str(value)[:100]!r}.")
    return int(value)


def item_name(number: int) -> str:
    """Return the hidden variable that holds an item of a sequential body."""
    return f"$item:{number}"
