"""What stands around an activity's work: loop, mappings, boundary events (semantics §4).

An activity that has any of these works inside scopes of its own, outermost first:

    body       `multiInstance` or `loop`: one token per instance; boundary events are armed here if there is a body
    activity   holds mapped variables, loop variables, and the boundary events if there is no body
    work       what the element does; for a subprocess that is a scope of its own

At each layer the outer token waits for the inner scope. An activity without any of them works with the token that
arrived. Where a token stands in this is seen from its scope: a scope of the same node is one of its layers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bpm.core import loops
from bpm.core.arming import arm_boundary
from bpm.core.data import UNSET, data_value, require_inputs, seek_in
from bpm.core.execution import to_storable
from bpm.core.gathering import gather
from bpm.core.graph import Activity, MultiInstance
from bpm.core.ids import Id
from bpm.core.layers import ACTIVITY, layer_of, open_activity
from bpm.core.mappings import DataSource, Source, VariableMapping, value_of
from bpm.core.phases import BEGUN
from bpm.core.token import Token
from bpm.core.values import from_text

if TYPE_CHECKING:
    from bpm.core.elements.element import Element
    from bpm.core.run import Run


def enter(run: Run, element: Element[Any], node: Activity, token: Token) -> None:
    """Let a token enter an activity at the layer where it stands."""
    layer = layer_of(run, node, token)
    if layer == ACTIVITY:
        if token.phase != BEGUN:
            begin(run, node, token)
        run.listen(node.on_start, token)
        element.enter(run, node, run.token(token.id))
    elif waits_for_more(node, token) and layer is None:
        gather(run, node, token)
    elif layer is None and node.loop is not None:
        loops.enter(run, node, token)
    elif layer is None and not is_layered(node):
        run.listen(node.on_start, token)
        element.enter(run, node, token)
    else:
        open_activity(run, node, token, {})


def waits_for_more(node: Activity, token: Token) -> bool:
    """Return whether a token that has just come is not enough to start with."""
    return node.start_quantity > 1 and not token.phase


def is_layered(node: Activity) -> bool:
    """Return whether the activity works in scopes of its own."""
    return node.layered


def begin(run: Run, node: Activity, token: Token) -> None:
    """Evaluate the input mappings, then arm the boundary events unless the body has.

    Raises:
        NodeFailed: a mapping cannot be evaluated, or data is missing.
    """
    for mapping in node.inputs:
        value = _value(run, mapping.source, token)
        if value is not UNSET:
            _set(run, token.scope, mapping, value)
    require_inputs(run, node, token.scope)
    if node.loop is None:
        arm_boundary(run, node, token.scope)


def finish(run: Run, node: Activity, token: Token) -> None:
    """End a token whose work inside its activity scope is done: end listeners and output mappings first.

    Where the scope was only opened for local variables, the listeners run as the activity is left.

    Raises:
        NodeFailed: a listener or mapping cannot be evaluated.
    """
    if is_layered(node):
        run.listen(node.on_end, token)
    outer = run.state.scopes[token.scope].parent
    assert outer is not None, "an activity scope stands in another one"
    if isinstance(node.loop, MultiInstance) and node.loop.output_element is not None:
        loops.keep_item(run, token, _value(run, node.loop.output_element, token))
    values = [(mapping, _value(run, mapping.source, token)) for mapping in node.outputs]
    for mapping, value in values:
        if value is not UNSET:
            _set(run, run.owner(outer, mapping.target[0]), mapping, value)
    run.end(token, "end")


def _value(run: Run, source: Source, token: Token) -> Any:
    if isinstance(source, DataSource):
        value = data_value(
            source,
            lambda name: seek_in(run, token.scope, name),
            lambda expression, seen: run.evaluate(expression, token, seen),
        )
    else:
        value = value_of(source, lambda expression: run.evaluate(expression, token))
    return value if value is UNSET else to_storable("value", value)["value"]


def _set(run: Run, scope: Id, mapping: VariableMapping, value: Any) -> None:
    name, *path = mapping.target
    if path:
        stored = run.state.variable(scope, name)
        whole = from_text(stored.value) if stored is not None else {}
        value = _nested(whole if isinstance(whole, dict) else {}, path, value)
    run.set_variables(scope, {name: value}, local=True)


def _nested(whole: dict[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    head, *rest = path
    inner = whole.get(head)
    return {**whole, head: _nested(inner if isinstance(inner, dict) else {}, rest, value) if rest else value}
