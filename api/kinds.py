"""Kinds of values in requests: each reads a JSON value or a query text, and knows its JSON schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Protocol
from uuid import UUID

from api.request_errors import FieldError

Schema = dict[str, Any]
INT32: Final = 2_147_483_647
INT64: Final = 9_223_372_036_854_775_807
_WHOLE = re.compile(r"-?[0-9]{1,19}")
_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Wrong(Exception):
    """A value breaks rules; places are relative to the value, until RequestInvalid names them all."""

    def __init__(self, *errors: FieldError) -> None:
        super().__init__(errors)
        self.errors = errors


def wrong(rule: str, message: str) -> Wrong:
    """Return the error for the value itself."""
    return Wrong(FieldError("", rule, message))


def pointer(name: object) -> str:
    """Return one step of a JSON pointer."""
    return "/" + str(name).replace("~", "~0").replace("/", "~1")


class Kind(Protocol):
    """One kind of value."""

    def read(self, value: Any) -> Any:
        """Return what the view gets for a JSON value; raises Wrong."""

    def read_text(self, text: str) -> Any:
        """Return what the view gets for a query text; raises Wrong."""

    def schema(self) -> Schema:
        """Return the JSON schema."""


@dataclass(frozen=True, slots=True)
class Text:
    """Text of `low` to `high` characters, printable ones unless `free`; one of `choices` if given."""

    low: int = 1
    high: int = 255
    choices: tuple[str, ...] = ()
    free: bool = False

    def read(self, value: Any) -> str:
        """Return the text; NUL and lone surrogates were refused with the whole body."""
        if not isinstance(value, str):
            raise wrong("type", f"Expected text, found {json_type(value)}.")
        if self.choices and value not in self.choices:
            raise wrong("choice", f"Expected one of {', '.join(self.choices)}.")
        if not self.low <= len(value) <= self.high:
            raise wrong("length", f"Expected {self.low} to {self.high} characters, found {len(value)}.")
        if not self.free and not value.isprintable():
            raise wrong("printable", "Control characters are not allowed.")
        return value

    def read_text(self, text: str) -> str:
        """Return the text."""
        return self.read(text)

    def schema(self) -> Schema:
        """Return the JSON schema."""
        if self.choices:
            return {"type": "string", "enum": list(self.choices)}
        return {"type": "string", "minLength": self.low, "maxLength": self.high}


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number with `low <= number <= high`."""

    low: int
    high: int

    def read(self, value: Any) -> int:
        """Return the number; 1.0 is none."""
        if not isinstance(value, int) or isinstance(value, bool):
            raise wrong("type", f"Expected a whole number, found {json_type(value)}.")
        if not self.low <= value <= self.high:
            raise wrong("range", f"Expected a whole number from {self.low} to {self.high}.")
        return value

    def read_text(self, text: str) -> int:
        """Return the number."""
        if _WHOLE.fullmatch(text) is None:
            raise wrong("type", f"Expected a whole number from {self.low} to {self.high}.")
        return self.read(int(text))

    def schema(self) -> Schema:
        """Return the JSON schema."""
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    def read(self, value: Any) -> bool:
        """Return the truth value."""
        if not isinstance(value, bool):
            raise wrong("type", f"Expected true or false, found {json_type(value)}.")
        return value

    def read_text(self, text: str) -> bool:
        """Return the truth value of `true` or `false`."""
        if text not in ("true", "false"):
            raise wrong("type", "Expected true or false.")
        return text == "true"

    def schema(self) -> Schema:
        """Return the JSON schema."""
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Identifier:
    """The id of something, a UUID in its 36-character form."""

    def read(self, value: Any) -> UUID:
        """Return the id."""
        if not isinstance(value, str) or _ID.fullmatch(value) is None:
            raise wrong("id", "Expected an id: a UUID of 36 characters.")
        return UUID(value)

    def read_text(self, text: str) -> UUID:
        """Return the id."""
        return self.read(text)

    def schema(self) -> Schema:
        """Return the JSON schema."""
        return {"type": "string", "format": "uuid"}


@dataclass(frozen=True, slots=True)
class Instant:
    """An ISO 8601 date and time with zone."""

    def read(self, value: Any) -> datetime:
        """Return the time in UTC."""
        message = "Expected an ISO 8601 date and time with zone, such as 2026-01-31T12:00:00Z."
        if not isinstance(value, str):
            raise wrong("instant", message)
        try:
            found = datetime.fromisoformat(value)
            if found.tzinfo is not None:
                return found.astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        raise wrong("instant", message)

    def read_text(self, text: str) -> datetime:
        """Return the time in UTC; a plus sign that arrived as a space is put back."""
        return self.read(text.replace(" ", "+"))

    def schema(self) -> Schema:
        """Return the JSON schema."""
        return {"type": "string", "format": "date-time"}


@dataclass(frozen=True, slots=True)
class Variables:
    """An object of variable name to any JSON value; names and values are checked by the engine."""

    def read(self, value: Any) -> Mapping[str, Any]:
        """Return the object."""
        if not isinstance(value, dict):
            raise wrong("type", f"Expected an object of name to value, found {json_type(value)}.")
        return value

    def read_text(self, text: str) -> Mapping[str, Any]:
        """Refuse: objects do not stand in a query."""
        raise wrong("type", "Variables do not stand in a query.")

    def schema(self) -> Schema:
        """Return the JSON schema."""
        return {"type": "object", "additionalProperties": True}


def json_type(value: object) -> str:
    """Return what JSON calls the type of a value."""
    names = {bool: "true or false", int: "a whole number", str: "text", dict: "an object", list: "a list"}
    return "null" if value is None else names.get(type(value), "a number with a fraction")
