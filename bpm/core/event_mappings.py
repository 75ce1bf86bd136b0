"""Mappings and data associations of events: they have no scope of their own, what is mapped is seen only there.

Inputs are evaluated where the event is armed or throws, and seen by its expressions. Outputs are evaluated when a token
leaves the event, and see the inputs and what came along. What stays local is set nowhere: all of it with outputs of
`zeebe:ioMapping`, else what data outputs are named after.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bpm.core.data import UNSET, data_value, seek_in
from bpm.core.events import TokenCreated
from bpm.core.execution import to_storable
from bpm.core.mappings import DataName, DataSource, Source, VariableMapping, value_of

if TYPE_CHECKING:
    from bpm.core.graph import Node
    from bpm.core.ids import Id
    from bpm.core.run import Run
    from bpm.core.stage import Place, Stage
    from bpm.core.token import Token

Values = dict[str, Any]


def stays_local(node: Node, variables: Mapping[str, Any]) -> Values:
    """Return what of the variables that came with an event is seen only there."""
    if node.mappings_local:
        return dict(variables)
    return {name: value for name, value in variables.items() if name in node.local_names}


def hand_on(run: Run, node: Node, scope: Id, local: Values, begun: int) -> None:
    """Let the token that begins at the event see what came; where more is waited for, everybody sees it.

    Args:
        scope: the one that waited.
        begun: number of events before the event was caught.
    """
    if not local:
        return
    created = (
        event.token
        for event in run.events[begun:]
        if isinstance(event, TokenCreated) and event.node == node.id
    )
    token = next(created, None)
    if token is not None:
        run.brought[token] = local
    else:
        run.set_variables(scope, local)


def inputs_at(stage: Stage, node: Node, place: Place) -> Values:
    """Return the values of an event's inputs; one that is not set is left out.

    Raises:
        NodeFailed: a mapping cannot be evaluated.
    """
    values: Values = {}
    for mapping in node.inputs:
        _put(values, mapping, _value(stage, mapping.source, place, values))
    return values


@contextmanager
def seeing(stage: Stage, node: Node, values: Mapping[str, Any]) -> Iterator[None]:
    """Let the node's expressions see values before all variables."""
    before = stage.bound
    stage.bound = (node.id, values) if values else before
    try:
        yield
    finally:
        stage.bound = before


def put_out(run: Run, node: Node, token: Token) -> None:
    """Evaluate an event's outputs and set them as seen from around it.

    Raises:
        NodeFailed: a mapping cannot be evaluated.
    """
    values = inputs_at(run, node, token) | run.brought.get(token.id, {})
    found = [(mapping, _value(run, mapping.source, token, values)) for mapping in node.outputs]
    for mapping, value in found:
        name = mapping.target[0]
        if value is UNSET:
            continue
        if name in node.local_names:
            _put(values, mapping, value)
        else:
            stored = _whole(run, token.scope, name) if len(mapping.target) > 1 else {}
            _put(stored, mapping, value)
            run.set_variables(token.scope, {name: stored[name]})


def payload_of(stage: Stage, node: Node, token: Token) -> Values:
    """Return the data that goes along with what a node throws: its data inputs that are set."""
    if not node.payload:
        return {}
    if node.layered:
        found = {name: seek_in(stage, token.scope, DataName((name,), own=True)) for name in node.payload}
    else:
        bound = stage.bound[1] if stage.bound is not None and stage.bound[0] == node.id else {}
        found = {name: bound.get(name, UNSET) for name in node.payload}
    return {name: value for name, value in found.items() if value is not UNSET}


def _whole(stage: Stage, scope: Id, name: str) -> Values:
    found = seek_in(stage, scope, DataName((name,)))
    return {} if found is UNSET else {name: found}


def _value(stage: Stage, source: Source, place: Place, values: Values) -> Any:
    if isinstance(source, DataSource):
        value = data_value(
            source,
            lambda name: _seek(stage, place, name, values),
            lambda expression, seen: stage.evaluate(expression, place, {**values, **seen}),
        )
    else:
        value = value_of(source, lambda expression: stage.evaluate(expression, place, values))
    return value if value is UNSET else to_storable("value", value)["value"]


def _seek(stage: Stage, place: Place, name: DataName, values: Values) -> Any:
    for one in name.names:
        if one in values:
            return values[one]
    return UNSET if name.own else seek_in(stage, place.scope, name)


def _put(values: Values, mapping: VariableMapping, value: Any) -> None:
    if value is UNSET:
        return
    name, *path = mapping.target
    at, key = values, name
    for step in path:
        inner = at.get(key)
        at[key] = dict(inner) if isinstance(inner, dict) else {}
        at, key = at[key], step
    at[key] = value
