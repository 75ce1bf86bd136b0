"""What a form shows: its fields with the values, options and conditions that variables give them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from bpm.bpmn.forms.defaults import converted, is_expression
from bpm.bpmn.forms.field import FieldKind, FormField, Option
from bpm.bpmn.forms.form_json import option_of
from bpm.core.errors import VariableInvalid
from bpm.core.expressions import EvaluationFailed, ExpressionSyntaxError, compile_expression, to_json_value
from bpm.core.values import check_variables

MISSING: Final = object()
_MAX_OPTIONS: Final = 1_000


class VariableScope:
    """Variables as an expression of a form sees them."""

    def __init__(self, variables: Mapping[str, Any], now: datetime) -> None:
        self._variables = variables
        self.now = now

    def lookup(self, name: str) -> object:
        """Return a variable. Raises: KeyError."""
        return self._variables[name]


def evaluated(text: str, scope: VariableScope) -> Any:
    """Return the JSON value of an expression, None where it has none: a form is shown all the same."""
    try:
        value = to_json_value(compile_expression(text).evaluate(scope))
        check_variables({"value": value})
    except (EvaluationFailed, ExpressionSyntaxError, VariableInvalid):
        return None
    return value


def words(text: str, scope: VariableScope) -> str:
    """Return a label or description; one that begins with `=` is FEEL."""
    if not text.startswith("="):
        return text
    value = evaluated(text, scope)
    return "" if value is None else str(value)


def value_at(variables: Mapping[str, Any], name: str, *, nested: bool) -> Any:
    """Return what stands under a name, its dots leading into maps if `nested`; MISSING where nothing does."""
    at: Any = variables
    for part in name.split(".") if nested else (name,):
        if not isinstance(at, Mapping) or part not in at:
            return MISSING
        at = at[part]
    return at


def value_of(field: FormField, scope: VariableScope, variables: Mapping[str, Any]) -> Any:
    """Return the JSON value with which a field begins: the variable's, else its default, else None."""
    found = value_at(variables, field.name, nested=field.nested) if field.name else None
    if found is not MISSING:
        return found
    default = evaluated(field.default, scope) if is_expression(field.default) else field.default
    return converted(field.kind, default)


def is_hidden_now(field: FormField, scope: VariableScope) -> bool:
    """Return whether a field's condition hides it; one that cannot be evaluated does not."""
    if not field.hidden_if:
        return False
    text = field.hidden_if if field.hidden_if.startswith("=") else "=" + field.hidden_if
    return evaluated(text, scope) is True


def options_of(field: FormField, scope: VariableScope, variables: Mapping[str, Any]) -> tuple[Option, ...]:
    """Return what can be chosen: the field's own options, else what its variable or expression gives."""
    if field.kind not in (FieldKind.CHOICE, FieldKind.CHOICES) or not field.options_from:
        return field.options
    source = field.options_from
    found = evaluated(source, scope) if source.startswith("=") else value_at(variables, source, nested=True)
    if not isinstance(found, list):
        return field.options
    return tuple(option for item in found[:_MAX_OPTIONS] if (option := option_of(item)) is not None)
