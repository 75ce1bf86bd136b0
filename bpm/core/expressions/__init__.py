"""Expressions of models: compiled once, evaluated within bounds (semantics §9)."""

from __future__ import annotations

from bpm.core.expressions.compile import compile_condition, compile_expression
from bpm.core.expressions.errors import EvaluationFailed, ExpressionSyntaxError
from bpm.core.expressions.expression import Expression
from bpm.core.expressions.frame import Execution, Scope
from bpm.core.expressions.json_value import to_json_value

__all__ = [
    "EvaluationFailed",
    "Execution",
    "Expression",
    "ExpressionSyntaxError",
    "Scope",
    "compile_condition",
    "compile_expression",
    "to_json_value",
]
