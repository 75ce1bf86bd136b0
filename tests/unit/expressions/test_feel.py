from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from bpm.core.expressions import EvaluationFailed, ExpressionSyntaxError, compile_expression
from bpm.core.expressions.feel import compile_feel, compile_unary_tests
from tests.unit.expressions.variables import Variables, feel

CASES: list[tuple[str, Any]] = [
    # numbers
    ("0.1 + 0.2 = 0.3", True),
    ("1 / 3", Decimal("0.3333333333333333333333333333333333")),
    ("12345678901234567890123456789 * 10", 123456789012345678901234567890),
    ("-5 ** 2", 25),
    ("3 ** 4 ** 2", 6561),
    ("5 ** -2", Decimal("0.04")),
    ("10 / 5", 2),
    ("1 / 0", None),
    ('1 + "a"', None),
    ("1.5e3", Decimal("1.5e3")),
    ("modulo(-12, 5)", 3),
    ("decimal(2.5, 0)", 2),
    ("floor(-1.5)", -2),
    ("round half up(-1.5, 0)", -2),
    ("sqrt(16)", 4),
    ("sqrt(-1)", None),
    ("odd(5) and even(2)", True),
    # texts
    ('"foo" + "bar"', "foobar"),
    (r'"a\"b\n\u00e9\U01F40E\d"', 'a"b\né🐎\\d'),
    ('string length("🐎")', 1),
    ('substring("foobar", -2, 1)', "a"),
    ('substring before("foobar", "bar")', "foo"),
    ('replace("abcd", "(ab)|(a)", "[1=$1][2=$2]")', "[1=ab][2=]cd"),
    (r'split("John Doe", "\s")', ["John", "Doe"]),
    ('string join(["a", null, "b"], ", ")', "a, b"),
    ('number("1 000,5", " ", ",")', Decimal("1000.5")),
    ('string([1, "a", {b: null}])', '[1, "a", {b: null}]'),
    # logic
    ("true and null", None),
    ("false and null", False),
    ("true or null", True),
    ("false or null", None),
    ("null = null", True),
    ("1 = null", False),
    ('1 = "1"', None),
    ("not(null)", None),
    ("if null then 1 else 2", 2),
    ("1 between 0 and 1", True),
    ("null < 1", None),
    # lists and filters
    ("[1, 2, 3][2]", 2),
    ("[1, 2, 3][-1]", 3),
    ("[1, 2, 3][4]", None),
    ("[1, 2, 3][item > 1]", [2, 3]),
    ("[{a: 1, b: 2}, {a: 3}][a > 1]", [{"a": 3}]),
    ("[{a: 1, b: 2}, {a: 3}].a", [1, 3]),
    ("[{a: 1}, {a: 3}].b", [None, None]),
    ("[][1]", None),
    ("[][item > 1]", []),
    ("count([1, 2])", 2),
    ("sum([0.1, 0.2])", Decimal("0.3")),
    ("min(3, 1, 2)", 1),
    ("max([])", None),
    ("mean(1, 2)", Decimal("1.5")),
    ("median([4, 1, 2])", 2),
    ("mode([1, 2, 2, 1])", [1, 2]),
    ("flatten([[1, [2]], 3])", [1, 2, 3]),
    ("distinct values([1, 1.0, null, null])", [1, None]),
    ("union([1], [1, 2])", [1, 2]),
    ("index of([1, 2, 1], 1)", [1, 3]),
    ("sublist([1, 2, 3], 2)", [2, 3]),
    ("insert before([1, 3], 2, 2)", [1, 2, 3]),
    ("sort([3, 1, 2], function(x, y) x > y)", [3, 2, 1]),
    ("list contains([1, null], null)", True),
    ("all([true, null])", None),
    # contexts
    ("{a: 1, b: a + 1}.b", 2),
    ('{"first name": "J"}.first name', "J"),
    ("{a b: 1, c: a b + 1}", {"a b": 1, "c": 2}),
    ("{a-b: 1, c: a-b + 1}.c", 2),
    ('get value({a: {b: 1}}, ["a", "b"])', 1),
    ("get entries({a: 1})", [{"key": "a", "value": 1}]),
    ('context put({a: 1}, "b", 2)', {"a": 1, "b": 2}),
    ("context merge([{a: 1}, {a: 2}])", {"a": 2}),
    # loops
    ("for i in 1..3 return i * i", [1, 4, 9]),
    ("for i in 3..1 return i", [3, 2, 1]),
    ("for i in [1, 2], j in [i..2] return i * 10 + j", [11, 12, 22]),
    ("for i in 0..4 return if i < 2 then i else partial[-1] + partial[-2]", [0, 1, 1, 2, 3]),
    ("some i in [1, 2] satisfies i > 1", True),
    ("every i in [1, 2] satisfies i > 1", False),
    ("every i in [] satisfies false", True),
    # functions
    ("(function(x: number, y) x + y)(1, 2)", 3),
    ("(function(x, y) x - y)(y: 1, x: 3)", 2),
    ('(function(x: number) x)("a")', None),
    ("{f: function(n) if n < 2 then 1 else n * f(n - 1), r: f(20)}.r", 2432902008176640000),
    ("missing thing(1)", None),
    ("abs(number: -1)", None),
    ("abs(n: -1)", 1),
    # ranges
    ("5 in (1..5]", True),
    ("5 in [1..5[", False),
    ("1 in ]1..5]", False),
    ("5 in (< 3, > 4)", True),
    ('"b" in ["a".."c"]', True),
    ("[1..5].start included", True),
    ("before(1, [2..3])", True),
    ("overlaps([1..3], [3..5])", True),
    ("during(2, [1..3])", True),
    ('3 in range("[1..3]")', True),
    # types
    ("1 instance of number", True),
    ("null instance of number", False),
    ("[1, 2] instance of list<number>", True),
    ('[1, "a"] instance of list<number>', False),
    ("{a: 1} instance of context<a: number>", True),
    ('@"P1D" instance of days and time duration', True),
    ("1 instance of unknown", None),
    # comments
    ("1 + // one\n 2 /* two */", 3),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_answers_of_the_standard(text: str, expected: Any) -> None:
    value = feel(text)
    assert value == expected
    assert isinstance(value, bool) == isinstance(expected, bool)


TEMPORAL = [
    ('date("2024-01-31") + duration("P1M")', "2024-02-29"),
    ('date("2024-03-31") - duration("P1M")', "2024-02-29"),
    ('date("2024-03-01") - date("2024-02-28")', "P2D"),
    ('date("2024-03-01") + duration("PT25H")', "2024-03-02"),
    ('date("-2021-01-01") - duration("P1D")', "-2022-12-31"),
    ('date("999999999-12-31")', "999999999-12-31"),
    ('date and time("2024-12-31T23:59:59Z") + duration("PT1S")', "2025-01-01T00:00:00Z"),
    ('@"2026-03-29T01:30:00@Europe/Berlin" + duration("PT1H")', "2026-03-29T03:30:00@Europe/Berlin"),
    ('@"2026-03-28T01:30:00@Europe/Berlin" + duration("P1M")', "2026-04-28T01:30:00@Europe/Berlin"),
    ('time("23:30:00") + duration("PT1H")', "00:30:00"),
    ('time("10:00:00+02:00") - time("10:00:00Z")', "-PT2H"),
    ('duration("P1D") * 1.5', "P1DT12H"),
    ('duration("P10Y11M") / 2.5', "P4Y4M"),
    ('date and time(date("2024-01-01"), time("10:00:00"))', "2024-01-01T10:00:00"),
    ('date and time("2024-01-01T24:00:00")', "2024-01-02T00:00:00"),
    ('years and months duration(date("2011-12-22"), date("2013-08-24"))', "P1Y8M"),
    ('time(11, 59, 45, duration("-PT2H45M55S"))', "11:59:45-02:45:55"),
    ("now()", "2026-02-03T04:05:06Z"),
    ("today()", "2026-02-03"),
]


@pytest.mark.parametrize(("text", "expected"), TEMPORAL, ids=[text for text, _ in TEMPORAL])
def test_dates_times_and_durations(text: str, expected: str) -> None:
    assert feel(text).to_iso() == expected
    assert feel(f"string({text})") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('@"2026-02-03".weekday', 2),
        ('@"2026-02-03T04:05:06.5+01:00".second', Decimal("6.5")),
        ('@"-P1DT2H".hours', -2),
        ('@"P1Y2M".months', 2),
        ('day of week(@"2026-02-03")', "Tuesday"),
        ('week of year(@"2021-01-03")', 53),
        ('day of year(@"2024-12-31")', 366),
        ('@"2026-02-03T04:05:06Z" = @"2026-02-03T05:05:06+01:00"', True),
        ('@"2026-02-03T04:05:06" = @"2026-02-03T04:05:06Z"', None),
        ('duration("P1Y") = duration("P365D")', None),
        ('date("2026-02-30")', None),
        ('time("25:00:00")', None),
        ('duration("P")', None),
        ('@"nonsense"', None),
        ('duration("PT2H") / duration("PT1H")', 2),
    ],
)
def test_parts_and_comparison_of_dates(text: str, expected: Any) -> None:
    assert feel(text) == expected


def test_without_a_clock_now_fails() -> None:
    class Scope:
        def lookup(self, name: str) -> object:
            raise KeyError(name)

    for text in ("=now()", "=today()"):
        with pytest.raises(EvaluationFailed, match="There is no clock"):
            compile_expression(text).evaluate(Scope())


def test_variables() -> None:
    order = {"total price": 10, "lines": [{"n": 1, "f": 0.1}, {"n": 2, "f": 0.2}]}
    assert feel("order.total price * 2", order=order) == 20
    assert feel("order.lines[n > limit].n", order=order, limit=1) == [2]
    assert feel("sum(order.lines.f) = 0.3", order=order) is True
    assert feel("missing", order=order) is None
    assert feel("missing.more[1] + 1", order=order) is None
    assert feel("count", count=5) == 5
    assert feel("if count > 3 then count(list) else 0", count=5, list=[1, 2]) == 2
    assert feel("f = 0.1 and f < 0.2", f=0.1) is True


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a + b.c", {"a", "b"}),
        ("for x in xs return x + y", {"xs", "y"}),
        ("{a: 1, b: a + c}", {"c"}),
        ("xs[n > m]", {"xs", "n", "m"}),
        ("function(x) x + z", {"z"}),
        ("count(xs) > string length(s)", {"xs", "s"}),
        ("some x in xs, y in x.ys satisfies y = k", {"xs", "k"}),
        ("total price + tax", {"total price", "tax"}),
    ],
)
def test_names_are_the_variables_that_may_be_read(text: str, names: set[str]) -> None:
    assert compile_feel(text).names == frozenset(names)


def test_names_with_signs_and_keywords_have_to_be_known() -> None:
    names = ["Pre-bureau risk", "time and a half", "a"]
    scope = Variables({"Pre-bureau risk": "LOW", "time and a half": 3, "a": 1})
    assert compile_feel('Pre-bureau risk = "LOW"', names).evaluate(scope) is True
    assert compile_feel("time and a half + a", names).evaluate(scope) == 4


@pytest.mark.parametrize(
    ("tests", "value", "expected"),
    [
        ("-", 1, True),
        ("5", 5, True),
        ("< 5, > 10", 11, True),
        ("[1..5)", 5, False),
        ('"a", "b"', "b", True),
        ('not("a", "b")', "b", False),
        ('not("a")', "b", True),
        ("? * 2 > 10", 6, True),
        ("? * 2 > 10", 5, False),
        ("limit", 7, True),
        ("> limit", 7, False),
        ("true", True, True),
        ("true", False, False),
        ("null", None, True),
        ("[1, 2, 3]", 2, True),
        ('contains(?, "x")', "axb", True),
    ],
)
def test_unary_tests(tests: str, value: Any, expected: bool) -> None:
    assert compile_unary_tests(tests).evaluate(Variables({"?": value, "limit": 7})) is expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 +", "The expression ends too early"),
        ("[1, 2", "Expected ']', but the expression ends"),
        ("if a then b", "Expected 'else', but the expression ends"),
        ("for x return x", "Unexpected 'end'"),
        ("{a: 1, a: 2}", "The entry 'a' stands twice in one context"),
        ("f(1, b: 2)", "Some arguments have names and some have none"),
        ("function(x) external {java: {}}", "An external function is not allowed"),
        ("then", "Unexpected 'then'"),
        ("a = ;", "The character ';' starts no token"),
        ("'text'", 'Unexpected "\'"'),
    ],
)
def test_broken_text_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ExpressionSyntaxError) as refused:
        compile_feel(text)
    if reason != "Unexpected 'end'":
        assert refused.value.reason == reason
