from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from bpm.core.expressions import EvaluationFailed, to_json_value
from tests.unit.expressions.variables import feel


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('date("2026-02-03")', "2026-02-03"),
        ('time("10:00:00.5+01:00")', "10:00:00.5+01:00"),
        ('date and time("2026-02-03T04:05:06Z")', "2026-02-03T04:05:06Z"),
        ('@"2026-02-03T04:05:06@Europe/Berlin"', "2026-02-03T04:05:06@Europe/Berlin"),
        ('duration("PT90M")', "PT1H30M"),
        ('duration("-P14M")', "-P1Y2M"),
        (
            '{a: [duration("P1D"), 4/2, 1/4, null, true, "x"]}',
            {"a": ["P1D", 2, Decimal("0.25"), None, True, "x"]},
        ),
        ("10 ** 60", 10**60),
    ],
)
def test_results_become_json(text: str, expected: Any) -> None:
    assert to_json_value(feel(text)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Decimal("2.00"), 2),
        (Decimal("1E+3"), 1000),
        (2.0, 2),
        (0.1, Decimal("0.1")),
        (True, True),
        (Decimal("-0"), 0),
    ],
)
def test_numbers(value: Any, expected: Any) -> None:
    converted = to_json_value(value)
    assert converted == expected
    assert type(converted) is type(expected)


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        Decimal("NaN"),
        Decimal("Infinity"),
        float("nan"),
        float("-inf"),
        feel("function(x) x"),
        feel("[1..2]"),
        {1: "a"},
        object(),
        deep(1000),
    ],
)
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises(EvaluationFailed):
        to_json_value(value)


def test_a_result_that_shares_its_parts_does_not_explode() -> None:
    shared: list[Any] = [1]
    for _ in range(40):
        shared = [shared, shared]
    with pytest.raises(EvaluationFailed, match="too big"):
        to_json_value(shared)
