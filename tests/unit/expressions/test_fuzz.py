from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bpm.core.expressions import (
    EvaluationFailed,
    ExpressionSyntaxError,
    compile_condition,
    compile_expression,
    to_json_value,
)
from bpm.core.expressions.feel import compile_unary_tests
from bpm.core.expressions.feel.library import BUILTINS
from tests.unit.expressions.variables import Recorder, Variables

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=True)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["1", "2026-01-01", "P1D", "-3.5", "true"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
SCOPES = st.fixed_dictionaries({"a": JSON, "b": JSON, "c": JSON})
JUEL = """
a b c 1 0 2.5 'x' "1" true null + - * / % == != < > <= >= && || ! not empty and or eq ne lt div mod ? : . , ( ) [ ]
execution getVariable setVariable size contains get matches substring missing
"""
FEEL = """
a b c 1 0 2.5 "x" "2026-01-01" true null + - * / ** = != < > <= >= and or if then else for in return some every
satisfies between instance of function number list ? : . .. , ( ) [ ] { } @ not item partial date time
"""
JUEL_WORDS = st.sampled_from(JUEL.split())
FEEL_WORDS = st.sampled_from(FEEL.split())
BROKEN = st.text(alphabet="ab1 .,'\"\\$#{}[]()=+-*/<>?:@&|!\n🐎", max_size=30)


def try_everything(text: str, values: dict[str, Any]) -> None:
    """Whatever the text is, nothing but the documented errors may come out."""
    for compile_text in (compile_expression, compile_condition, compile_unary_tests, with_effects):
        try:
            expression = compile_text(text)
        except ExpressionSyntaxError as refused:
            assert 0 <= refused.position <= len(refused.text)  # noqa: PT017
            continue
        try:
            to_json_value(expression.evaluate(Variables({**values, "?": 1}), Recorder(values)))
            expression.truth(Variables(values), Recorder(values))
        except EvaluationFailed as failed:
            assert failed.reason  # noqa: PT017


def with_effects(text: str) -> Any:
    return compile_expression(text, effects=True)


@given(BROKEN, SCOPES)
def test_arbitrary_text(text: str, values: dict[str, Any]) -> None:
    for variant in (text, f"={text}", f"${{{text}}}"):
        try_everything(variant, values)


@given(st.lists(JUEL_WORDS, max_size=12), SCOPES)
def test_arbitrary_words_of_juel(words: list[str], values: dict[str, Any]) -> None:
    try_everything("${" + " ".join(words) + "}", values)


@given(st.lists(FEEL_WORDS, max_size=12), SCOPES)
def test_arbitrary_words_of_feel(words: list[str], values: dict[str, Any]) -> None:
    try_everything("=" + " ".join(words), values)


@given(st.sampled_from(["+", "-", "*", "/", "%", "==", "!=", "<", ">=", "and", "or"]), SCOPES)
def test_operators_of_juel_with_any_values(operator: str, values: dict[str, Any]) -> None:
    try_everything(f"${{a {operator} b}}", values)


@given(st.sampled_from(["+", "-", "*", "/", "**", "=", "!=", "<", ">=", "and", "or", "in"]), SCOPES)
def test_operators_of_feel_with_any_values(operator: str, values: dict[str, Any]) -> None:
    try_everything(f"=a {operator} b", values)
    try_everything(f"=a[b {operator} 1]", values)
    try_everything(f"=date(a) {operator} duration(b)", values)


@given(
    st.sampled_from(sorted(BUILTINS)),
    st.lists(st.sampled_from(["a", "b", "c", "1", '"x"', "[a, b]"]), max_size=4),
    SCOPES,
)
def test_functions_of_the_library_with_any_arguments(
    name: str, arguments: list[str], values: dict[str, Any]
) -> None:
    try_everything(f"={name}({', '.join(arguments)})", values)
    try_everything(f"=string({name}({', '.join(arguments)}))", values)
