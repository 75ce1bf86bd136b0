from __future__ import annotations

from typing import Any

import pytest

from bpm.core.expressions import EvaluationFailed, ExpressionSyntaxError, compile_expression, to_json_value
from tests.support.processor_time import processor_time
from tests.unit.expressions.variables import Variables, feel, juel


@pytest.mark.parametrize(
    "text",
    [
        "${" + "(" * 51 + "1" + ")" * 51 + "}",
        "${" + "!" * 51 + "true}",
        "${" + "a[" * 51 + "0" + "]" * 51 + "}",
        "${" + "x.contains(" * 51 + "1" + ")" * 51 + "}",
        "=" + "(" * 51 + "1" + ")" * 51,
        "=" + "[" * 51 + "1" + "]" * 51,
        "=" + "-" * 51 + "1",
        "=" + "if true then " * 51 + "1" + " else 2" * 51,
        "=" + "function(x) " * 51 + "1",
        "=" + "{a: " * 51 + "1" + "}" * 51,
        "=1 instance of " + "list<" * 51 + "number" + ">" * 51,
    ],
)
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(ExpressionSyntaxError, match="nested more than 50 deep"):
        compile_expression(text)


def test_what_is_within_the_bound_runs() -> None:
    assert juel("(" * 48 + "1" + ")" * 48) == 1
    assert feel("(" * 48 + "1" + ")" * 48) == 1
    assert juel(" or ".join(["x == 1"] * 5000), x=2) is False
    assert feel(" or ".join(["x = 1"] * 5000), x=2) is False
    assert feel("+".join(["1"] * 150)) == 150


@pytest.mark.parametrize("text", ["${" + "+".join(["1"] * 5000) + "}", "=" + ".a".join(["x"] * 5000)])
def test_long_chains_are_refused(text: str) -> None:
    with pytest.raises(ExpressionSyntaxError, match="more than 150 operators inside one another"):
        compile_expression(text)


def test_long_text_is_refused() -> None:
    with pytest.raises(ExpressionSyntaxError, match="longer than 1000000 characters"):
        compile_expression("x" * 1_000_001)


RUNAWAYS = [
    "count(for i in 1..1000000000 return i)",
    "for i in 1..10000, j in 1..10000 return 1",
    "some i in 1..1000000000 satisfies i < 0",
    "{f: function(n) f(n + 1)}.f(1)",
    "{f: function(n) n + f(n + 1)}.f(1)",
    "{f: function(n) [f(n), f(n)]}.f(1)",
    "sort(for i in 1..90000 return modulo(i * 7919, 90001), function(a, b) a < b)",
    "distinct values(for i in 1..90000 return i)",
    "for i in 1..50000 return concatenate(partial, partial)",
    "for i in 1..90000 return upper case(big)",
    "for i in 1..90000 return substring(big, 2)",
    "for i in 1..90000 return big + big",
    'for i in 1..90000 return replace(big, "a", "b")',
    'matches(tail, "(a+)+$")',
    'matches(tail, "(a|a)*$")',
    'matches(tail, "(a|aa)+$")',
    'matches(tail, "a*a*a*a*a*a*b")',
    "string(" + "{a0: [1, 1], " + ", ".join(f"a{n}: [a{n - 1}, a{n - 1}]" for n in range(1, 41)) + "}.a40)",
    "flatten(" + "{a0: [1, 1], " + ", ".join(f"a{n}: [a{n - 1}, a{n - 1}]" for n in range(1, 41)) + "}.a40)",
    "{a0: [1, 1], b0: [1, 1], "
    + ", ".join(f"a{n}: [a{n - 1}, a{n - 1}], b{n}: [b{n - 1}, b{n - 1}]" for n in range(1, 41))
    + "}.(a40 = b40)".replace("}.(a40 = b40)", ", same: a40 = b40}.same"),
]


@pytest.mark.parametrize("text", RUNAWAYS, ids=[text[:40] for text in RUNAWAYS])
def test_a_runaway_is_stopped(text: str) -> None:
    with processor_time() as spent, pytest.raises(EvaluationFailed):
        feel(text, big="a" * 500_000, tail="a" * 200 + "!")
    assert spent.seconds < 10


def test_regular_expressions_of_juel_are_stopped() -> None:
    for pattern in ("(a+)+$", "(a|a)*", "(.*)*x", "(a?){50}a{50}b"):
        with pytest.raises(EvaluationFailed, match="more than 100000 steps"):
            juel("text.matches(pattern)", text="a" * 200 + "!", pattern=pattern)


@pytest.mark.parametrize(
    ("text", "digits"), [("9 ** 9 ** 9", 78), ("10 ** 4000", 4001), ("2 ** 10000", 3011)]
)
def test_powers_of_integers_are_exact_within_the_bound(text: str, digits: int) -> None:
    value = feel(text)
    assert type(value) is int
    assert len(str(value)) == digits


@pytest.mark.parametrize("text", ["9 ** 99999", "(10 ** 4000) * (10 ** 4000)", "exp(1000)"])
def test_beyond_the_bound_numbers_are_rounded(text: str) -> None:
    value = feel(text)
    assert value is None or len(value.as_tuple().digits) <= 34


@pytest.mark.parametrize(
    "text", ["10 ** 99999999999", "exp(100000000)", "10.5 ** 10000000000", "1e6000 * 1e6000"]
)
def test_what_overflows_is_null(text: str) -> None:
    assert feel(text) is None


def test_a_long_template_is_stopped() -> None:
    with pytest.raises(EvaluationFailed, match="builds a text of more than 1000000 characters"):
        compile_expression("${x}" * 1000).evaluate(Variables({"x": "a" * 100_000}))


def test_deep_values_are_compared_or_refused() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    other = [deep[0]]
    for text in ("=a = b", "=flatten(a)", "=string(a)", "${a == b}", "=a.x"):
        try:
            compile_expression(text).evaluate(Variables({"a": deep, "b": other}))
        except EvaluationFailed as failed:
            assert failed.reason  # noqa: PT017
    with pytest.raises(EvaluationFailed):
        to_json_value(deep)
    while deep:
        deep = deep.pop()
