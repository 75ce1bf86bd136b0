"""Fields for variables where nobody has drawn up a form: one for each, by the type of its value."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from bpm.bpmn.forms.field import FieldKind, FormField
from bpm.core.loops import COUNTS

_LONG: Final = 80
_MOST: Final = 100
_OF_LOOPS: Final = frozenset({"loopCounter", *COUNTS})
_TEXTUAL: Final = frozenset({FieldKind.DATE, FieldKind.TIME, FieldKind.DATETIME})


def known_fields(variables: Mapping[str, Any], declared: tuple[FormField, ...]) -> tuple[FormField, ...]:
    """Return the declared fields and one for each further variable, the first hundred by name.

    A declared field whose variable holds something else is of that thing's kind. The counters by which a loop is kept
    are left out: who changed one would change when the loop ends.
    """
    said = {field.name: field for field in declared}
    found = [
        said[name] if name in said and fits(said[name].kind, value) else _field(name, value)
        for name, value in sorted(variables.items())
        if name not in _OF_LOOPS
    ]
    return (*(field for field in declared if field.name not in variables), *found[:_MOST])


def fits(kind: FieldKind, value: Any) -> bool:
    """Return whether a field of this kind can show a value."""
    return value is None or kind is _kind(value) or (kind in _TEXTUAL and isinstance(value, str))


def _field(name: str, value: Any) -> FormField:
    return FormField(name=name, label=name, kind=_kind(value))


def _kind(value: Any) -> FieldKind:
    if isinstance(value, bool):
        return FieldKind.BOOLEAN
    if isinstance(value, int):
        return FieldKind.INTEGER
    if isinstance(value, float | Decimal):
        return FieldKind.NUMBER
    if isinstance(value, str):
        return FieldKind.MULTILINE if "\n" in value or len(value) > _LONG else FieldKind.TEXT
    return FieldKind.JSON
