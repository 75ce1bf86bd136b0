"""Instructions of modifications, and of starts elsewhere than at the start event, as they come in JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from api.kinds import Identifier, Schema, Text, Variables, json_type, wrong
from api.shapes import Field, ListOf, Shape
from bpm.engine import (
    CancelAll,
    CancelScope,
    CancelToken,
    Instruction,
    StartAfter,
    StartAtFlow,
    StartBefore,
)

_TYPE: Final = "type"
_NODE: Final = Field(
    Text(), required=True, about="`<id>#multiInstanceBody` means all of a multi-instance activity"
)
_STARTED: Final[Mapping[str, Field]] = {
    "variables": Field(Variables(), about="set before the start, each where it stands outwards"),
    "local_variables": Field(
        Variables(), about="set in what is entered for it, else in the activity's own scope"
    ),
    "ancestor_scope_id": Field(Identifier(), about="scope in which scopes are entered down to the target"),
}


def _cancel(fields: dict[str, Any]) -> Instruction:
    named = {name: value for name, value in fields.items() if value is not None and name != _TYPE}
    if len(named) != 1:
        raise wrong("either", "Name exactly one of token_id, scope_id, node_id.")
    ((name, value),) = named.items()
    if name == "token_id":
        return CancelToken(token=str(value))
    return CancelScope(scope=str(value)) if name == "scope_id" else CancelAll(node=value)


def _started(fields: dict[str, Any]) -> dict[str, Any]:
    ancestor = fields["ancestor_scope_id"]
    return {
        "variables": fields["variables"] or {},
        "local_variables": fields["local_variables"] or {},
        "ancestor": None if ancestor is None else str(ancestor),
    }


class _Tagged:
    """Instructions by their `type`."""

    def __init__(self, kinds: Mapping[str, tuple[Shape, Callable[[dict[str, Any]], Instruction]]]) -> None:
        self._kinds = kinds

    def read(self, value: Any) -> Instruction:
        """Return the instruction; raises Wrong."""
        if not isinstance(value, dict):
            raise wrong("type", f"Expected an object, found {json_type(value)}.")
        kind = self._kinds.get(value.get(_TYPE, "")) if isinstance(value.get(_TYPE, ""), str) else None
        if kind is None:
            raise wrong("choice", f"Expected a `type`: one of {', '.join(self._kinds)}.")
        shape, make = kind
        return make(shape.read(value))

    def read_text(self, text: str) -> Instruction:
        """Refuse: objects do not stand in a query."""
        raise wrong("type", "An object does not stand in a query.")

    def schema(self) -> Schema:
        """Return the JSON schema."""
        return {"type": "object", "oneOf": [shape.schema() for shape, _ in self._kinds.values()]}


def _shape(name: str, tag: str, **fields: Field) -> Shape:
    return Shape(name, **{_TYPE: Field(Text(choices=(tag,)), required=True)}, **fields)


_START: Final = {
    "start_before": (
        _shape("StartBefore", "start_before", node_id=_NODE, **_STARTED),
        lambda fields: StartBefore(node=fields["node_id"], **_started(fields)),
    ),
    "start_after": (
        _shape("StartAfter", "start_after", node_id=_NODE, **_STARTED),
        lambda fields: StartAfter(node=fields["node_id"], **_started(fields)),
    ),
    "start_at": (
        _shape("StartAtFlow", "start_at", flow_id=Field(Text(), required=True), **_STARTED),
        lambda fields: StartAtFlow(flow=fields["flow_id"], **_started(fields)),
    ),
}
_CANCEL: Final = {
    "cancel": (
        _shape(
            "Cancel",
            "cancel",
            token_id=Field(Identifier(), about="the activity at which this token stands"),
            scope_id=Field(Identifier(), about="this scope, with the activity that it belongs to"),
            node_id=Field(Text(), about="all that goes on at this node"),
        ),
        _cancel,
    ),
}
MAX_INSTRUCTIONS: Final = 1_000
STARTS: Final = ListOf(_Tagged(_START), 1, MAX_INSTRUCTIONS)
INSTRUCTIONS: Final = ListOf(_Tagged({**_CANCEL, **_START}), 1, MAX_INSTRUCTIONS)
