"""Default values as models write them: text, whatever the field's kind."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from bpm.bpmn.forms.field import FieldKind
from bpm.core.values import from_outside

_JAVA: Final = (
    ("yyyy", "%Y"),
    ("MM", "%m"),
    ("dd", "%d"),
    ("HH", "%H"),
    ("mm", "%M"),
    ("ss", "%S"),
    ("'T'", "T"),
)
"""Letters of Java's SimpleDateFormat to those of Python, those that occur in models."""
_USUAL: Final = "dd/MM/yyyy"


def is_expression(value: object) -> bool:
    """Return whether a default or option source is to be evaluated."""
    return isinstance(value, str) and (value.startswith("=") or "${" in value or "#{" in value)


def default_of(kind: FieldKind, text: str | None, date_pattern: str) -> Any:
    """Return the JSON value a default stands for; an expression and what does not fit stay as written.

    Args:
        date_pattern: Java's pattern of a date; `dd/MM/yyyy` where it is empty.
    """
    if text is None or text == "" or is_expression(text):
        return text or None
    if kind in (FieldKind.DATE, FieldKind.DATETIME):
        return _date(text, date_pattern or _USUAL, time=kind is FieldKind.DATETIME)
    return converted(kind, text)


def converted(kind: FieldKind, value: Any) -> Any:
    """Return text as the JSON value that fields of this kind give, where it can be one."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    try:
        if kind is FieldKind.INTEGER:
            return int(text)
        if kind is FieldKind.NUMBER:
            return _number(text)
        if kind is FieldKind.JSON:
            return from_outside(text)
    except (ValueError, InvalidOperation):
        return value
    if kind is FieldKind.BOOLEAN:
        return {"true": True, "false": False}.get(text.lower(), value)
    return value


def _number(text: str) -> Any:
    number = Decimal(text)
    if not number.is_finite():
        raise ValueError(text)
    return from_outside(str(number))


def _date(text: str, pattern: str, *, time: bool) -> str:
    for java, python in _JAVA:
        pattern = pattern.replace(java, python)
    try:
        found = datetime.strptime(text.strip(), pattern)  # noqa: DTZ007 - a date of the model has no zone
    except ValueError:
        return text
    return found.isoformat(timespec="minutes") if time else found.date().isoformat()
