"""JSON schemas of answers, read off the types of the rows."""

from __future__ import annotations

import types
from dataclasses import is_dataclass
from datetime import datetime
from typing import Any, Final, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict
from uuid import UUID

from api.kinds import Schema

COMPONENTS: Final[dict[str, Schema]] = {}
"""Name to schema of every row that an answer refers to."""

_SIMPLE: Final[dict[Any, Schema]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    UUID: {"type": "string", "format": "uuid"},
    datetime: {"type": "string", "format": "date-time"},
    Any: {"nullable": True},
}


def schema_of(hint: Any) -> Schema:
    """Return the schema of a type; rows become references to `COMPONENTS`.

    Raises:
        TypeError: a type that no answer has.
    """
    if hint in _SIMPLE:
        return dict(_SIMPLE[hint])
    if is_dataclass(hint) or is_typeddict(hint):
        return _reference(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (types.UnionType, Union):
        return _union(arguments)
    if origin in (list, tuple):
        return {"type": "array", "items": schema_of(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": True}
    if origin is NotRequired:
        return schema_of(arguments[0])
    raise TypeError(f"{hint!r} has no JSON schema here")


def list_of(row: Any) -> Schema:
    """Return the schema of a plain list."""
    return {"type": "array", "items": schema_of(row)}


def page_of(row: Any) -> Schema:
    """Return the schema of a page of rows."""
    return {
        "type": "object",
        "properties": {
            "items": list_of(row),
            "next": {"type": "string", "nullable": True, "description": "cursor of the next page"},
        },
        "required": ["items", "next"],
    }


def _reference(row: Any) -> Schema:
    name = row.__name__
    if name not in COMPONENTS:
        COMPONENTS[name] = {}
        hints = get_type_hints(row, include_extras=True)
        COMPONENTS[name].update(_object(row, hints))
    return {"$ref": f"#/components/schemas/{name}"}


def _object(row: Any, hints: dict[str, Any]) -> Schema:
    about = (row.__doc__ or "").strip().splitlines()
    return {
        "type": "object",
        "properties": {name: schema_of(hint) for name, hint in hints.items()},
        "required": [name for name, hint in hints.items() if get_origin(hint) is not NotRequired],
        "description": about[0] if about else "",
    }


def _union(arguments: tuple[Any, ...]) -> Schema:
    members = [schema_of(each) for each in arguments if each is not type(None)]
    nullable = {"nullable": True} if type(None) in arguments else {}
    if len(members) > 1:
        return {"oneOf": members} | nullable
    (member,) = members
    return ({"allOf": [member]} if "$ref" in member and nullable else member) | nullable
