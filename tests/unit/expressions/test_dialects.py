from __future__ import annotations

from typing import Any

import pytest

from bpm.core.expressions import ExpressionSyntaxError, compile_expression
from tests.unit.expressions.variables import Variables


@pytest.mark.parametrize(
    ("text", "dialect", "value", "names"),
    [
        ("plain text", "literal", "plain text", set()),
        ("  PT5S \n", "literal", "PT5S", set()),
        ("$5 {and} #3", "literal", "$5 {and} #3", set()),
        ("", "literal", "", set()),
        ("${n}", "juel", 2, {"n"}),
        ("\n\t#{ n } ", "juel", 2, {"n"}),
        ("${n}${n}", "juel", "22", {"n"}),
        ("n is ${n}, t is #{t}", "juel", "n is 2, t is x", {"n", "t"}),
        (
            "${nothing}-${flag}-${list}-${map}",
            "juel",
            '-true-[1, "a"]-{"k": 1.50}',
            {"nothing", "flag", "list", "map"},
        ),
        ("${'}'}{${n}}", "juel", "}{2}", {"n"}),
        (r"\${n} is ${n}", "juel", "${n} is 2", {"n"}),
        (r"\${n}", "juel", "${n}", set()),
        ("=n + 1", "feel", 3, {"n"}),
        ("= unknown", "feel", None, {"unknown"}),
        ('="${n}"', "feel", "${n}", set()),
    ],
)
def test_the_text_tells_the_dialect(text: str, dialect: str, value: Any, names: set[str]) -> None:
    from decimal import Decimal

    scope = Variables(
        {"n": 2, "t": "x", "nothing": None, "flag": True, "list": [1, "a"], "map": {"k": Decimal("1.50")}}
    )
    expression = compile_expression(text)
    assert expression.dialect == dialect
    assert expression.text == text.strip()
    assert expression.names == frozenset(names)
    assert expression.effects is False
    result = expression.evaluate(scope)
    assert result == value
    assert type(result) is type(value)


def test_other_text_can_be_juel_by_default() -> None:
    expression = compile_expression("n < 3", default="juel")
    assert expression.dialect == "juel"
    assert expression.evaluate(Variables({"n": 2})) is True


@pytest.mark.parametrize("text", ["=", "= ", "=1 +", "${", "a ${b", "${a}${"])
def test_broken_text_is_refused(text: str) -> None:
    with pytest.raises(ExpressionSyntaxError):
        compile_expression(text)


def test_an_expression_cannot_be_changed() -> None:
    expression = compile_expression("${n}")
    with pytest.raises(AttributeError):
        expression.text = "${m}"  # type: ignore[misc]
