"""Objects and lists in requests, built of kinds. What is not named is refused by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from api.kinds import Kind, Schema, Wrong, json_type, pointer, wrong
from api.request_errors import FieldError, RequestInvalid

_LISTED_NAMES = 10


@dataclass(frozen=True, slots=True)
class Field:
    """One member of an object. Not required, it may be absent or null and then is `default`."""

    kind: Kind
    required: bool = False
    default: Any = None
    about: str = ""

    def schema(self) -> Schema:
        """Return the JSON schema."""
        found = self.kind.schema()
        if not self.required:
            found["nullable"] = True
            if self.default not in (None, {}, ()):
                found["default"] = self.default
        return found | ({"description": self.about} if self.about else {})


class Shape:
    """An object with exactly these members."""

    def __init__(self, name: str, /, **fields: Field) -> None:
        self.name = name
        self.fields: Mapping[str, Field] = fields

    def read(self, value: Any) -> dict[str, Any]:
        """Return every field's value.

        Raises:
            Wrong: with all that is wrong inside.
        """
        if not isinstance(value, dict):
            raise wrong("type", f"Expected an object, found {json_type(value)}.")
        errors = unknown_members(value, self.fields)
        result = {name: self._member(name, field, value, errors) for name, field in self.fields.items()}
        if errors:
            raise Wrong(*errors)
        return result

    def read_text(self, text: str) -> dict[str, Any]:
        """Refuse: objects do not stand in a query."""
        raise wrong("type", "An object does not stand in a query.")

    def _member(self, name: str, field: Field, value: Mapping[str, Any], errors: list[FieldError]) -> Any:
        given = value.get(name)
        if given is None:
            if field.required:
                found = "is null" if name in value else "is missing"
                errors.append(FieldError(pointer(name), "required", f"{name} {found}."))
            return field.default
        try:
            return field.kind.read(given)
        except Wrong as inside:
            errors.extend(FieldError(pointer(name) + e.place, e.rule, e.message) for e in inside.errors)
            return None

    def schema(self) -> Schema:
        """Return the JSON schema."""
        required = [name for name, field in self.fields.items() if field.required]
        return {
            "type": "object",
            "properties": {name: field.schema() for name, field in self.fields.items()},
            "additionalProperties": False,
            **({"required": required} if required else {}),
        }


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of `low` to `high` items of one kind."""

    kind: Kind
    low: int
    high: int

    def read(self, value: Any) -> list[Any]:
        """Return the items; raises Wrong with all that is wrong inside."""
        if not isinstance(value, list):
            raise wrong("type", f"Expected a list, found {json_type(value)}.")
        if not self.low <= len(value) <= self.high:
            raise wrong("length", f"Expected {self.low} to {self.high} items, found {len(value)}.")
        errors: list[FieldError] = []
        result = []
        for index, item in enumerate(value):
            try:
                result.append(self.kind.read(item))
            except Wrong as inside:
                errors.extend(FieldError(pointer(index) + e.place, e.rule, e.message) for e in inside.errors)
        if errors:
            raise Wrong(*errors)
        return result

    def read_text(self, text: str) -> list[Any]:
        """Return the items of a comma-separated text."""
        return self.read([self.kind.read_text(part) for part in text.split(",")])

    def schema(self) -> Schema:
        """Return the JSON schema."""
        return {
            "type": "array",
            "items": self.kind.schema(),
            "minItems": self.low,
            "maxItems": self.high,
        }


class Query:
    """The query parameters of a request, each at most once."""

    def __init__(self, **fields: Field) -> None:
        self.fields: Mapping[str, Field] = fields

    def read(self, given: QueryDict) -> dict[str, Any]:
        """Return every parameter's value.

        Raises:
            RequestInvalid: with all that is wrong; places are `?name`.
        """
        errors = [
            FieldError("?" + e.place[1:], e.rule, e.message.replace("field", "parameter"))
            for e in unknown_members(given, self.fields)
        ]
        result = {name: self._parameter(name, field, given, errors) for name, field in self.fields.items()}
        if errors:
            raise RequestInvalid(tuple(errors))
        return result

    def _parameter(self, name: str, field: Field, given: QueryDict, errors: list[FieldError]) -> Any:
        texts = given.getlist(name)
        if not texts:
            return field.default
        if len(texts) > 1:
            errors.append(FieldError(f"?{name}", "once", f"{name} stands there {len(texts)} times."))
            return None
        try:
            if "\x00" in texts[0]:
                raise wrong("nul", "The NUL character is not allowed.")
            return field.kind.read_text(texts[0])
        except Wrong as inside:
            errors.extend(FieldError(f"?{name}", e.rule, e.message) for e in inside.errors)
            return None


def unknown_members(given: Mapping[str, Any], known: Mapping[str, Field]) -> list[FieldError]:
    """Return an error for each of the first members that are not known."""
    names = [name for name in given if name not in known]
    return [
        FieldError(pointer(name[:100]), "unknown", f"There is no field {name[:100]!r} here.")
        for name in names[:_LISTED_NAMES]
    ]
