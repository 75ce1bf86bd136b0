"""Scopes and executions for the tests of expressions."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bpm.core.expressions import EvaluationFailed, compile_condition, compile_expression
from bpm.core.expressions.feel import compile_feel


class Variables:
    """A scope of given variables, with a clock that stands still."""

    now = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    def lookup(self, name: str) -> object:
        return self.values[name]


class Recorder:
    """An execution that keeps variables and remembers what was asked of it."""

    process_instance_id = "i-1"
    process_business_key = "order 7"
    current_activity_id = "task"

    def __init__(self, variables: dict[str, Any] | None = None) -> None:
        self.variables = variables or {}
        self.local: dict[str, Any] = {}

    def get_variable(self, name: str) -> Any:
        return self.variables[name]

    def has_variable(self, name: str) -> bool:
        return name in self.variables

    def set_variable(self, name: str, value: Any) -> None:
        self.variables[name] = value

    def set_variable_local(self, name: str, value: Any) -> None:
        self.local[name] = value

    def remove_variable(self, name: str) -> None:
        self.variables.pop(name, None)


def juel(text: str, /, **variables: Any) -> Any:
    return compile_expression("${" + text + "}").evaluate(Variables(variables))


def feel(text: str, /, **variables: Any) -> Any:
    return compile_feel(text).evaluate(Variables(variables))


def truth(text: str, /, **variables: Any) -> bool:
    return compile_condition(text).truth(Variables(variables))


def failure(text: str, /, **variables: Any) -> str:
    """Reason why an expression of a model cannot be evaluated."""
    expression = compile_expression(text)
    with pytest.raises(EvaluationFailed) as failed:
        expression.evaluate(Variables(variables))
    assert failed.value.expression == text.strip()
    return failed.value.reason
