"""The neutral form that every way of describing one is read into."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class FieldKind(StrEnum):
    """What a field asks for, and so what JSON value it gives."""

    TEXT = "text"
    MULTILINE = "multiline"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    TIME = "time"
    DATETIME = "datetime"
    CHOICE = "choice"
    CHOICES = "choices"
    JSON = "json"
    NOTE = "note"
    """Only words to read; gives no value."""


@dataclass(frozen=True, slots=True)
class Option:
    """One value that can be chosen: any JSON value, and how it is called."""

    value: Any
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One field.

    Attributes:
        name: variable; empty for a note.
        nested: dots in the name lead into maps (`order.total`).
        description: words below the field; the whole text of a note.
        default: JSON value it begins with; text with an expression (`${…}` or `=…`) is evaluated.
        options_from: variable, or with `=` FEEL expression, that holds the options.
        minimum, maximum: of a number, as written.
        pattern: regular expression that describes some part of the text.
        hidden_if: FEEL condition under which the field is not shown and gives no value.
        format: `email` or `phone`; `utc`, `offset` or `local` for a time.
        as_text: a number is stored as text.
        group: label of the group it stands in, empty outside.
    """

    name: str
    label: str = ""
    kind: FieldKind = FieldKind.TEXT
    description: str = ""
    required: bool = False
    read_only: bool = False
    default: Any = None
    options: tuple[Option, ...] = ()
    options_from: str = ""
    minimum: str = ""
    maximum: str = ""
    min_length: int | None = None
    max_length: int | None = None
    pattern: str = ""
    hidden_if: str = ""
    format: str = ""
    as_text: bool = False
    group: str = ""
    nested: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One form.

    Attributes:
        key: id of the form, empty where it has none.
        business_key: name of the field whose value becomes the business key of a started instance.
        unsupported: what of its description is passed over, one text each.
    """

    key: str = ""
    fields: tuple[FormField, ...] = ()
    business_key: str = ""
    unsupported: tuple[str, ...] = ()
