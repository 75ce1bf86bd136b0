from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from bpm.core.expressions import ExpressionSyntaxError, compile_condition, compile_expression
from tests.unit.expressions.variables import Variables, failure, juel, truth

BIG = 12345678901234567890123456789012345678901234567890


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", True),
        ("null", None),
        ("43", 43),
        ("1.5", Decimal("1.5")),
        (" 1 + 2 ", 3),
        ("5-2", 3),
        ("7 / 2", Decimal("3.5")),
        ("6 div 3", 2),
        ("7 mod 3", 1),
        ("-7 % 3", -1),
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("-(2 - 5)", 3),
        ("0.1 + 0.2 == 0.3", True),
        ("3/5 >= 0.6", True),
        ("1 == 1.0", True),
        ("1 eq 1 and 2 ne 3", True),
        ("1 lt 2 && 2 le 2 && 3 gt 2 && 3 ge 3", True),
        ("false || 1 > 0", True),
        ("!true or not false", True),
        ("not true == false", True),
        ("1 > 2 ? 'a' : 2 > 1 ? 'b' : 'c'", "b"),
        ("'a' < 'b'", True),
        ("'10' < '9'", True),
        ("'10' < 9", False),
        ("'5' == 5", True),
        ("'1' + '2'", 3),
        ("'1.5' + 1", Decimal("2.5")),
        ("null + 1", 1),
        ("'' + 1", 1),
        ("null == 0", False),
        ("null < 1", False),
        ("null == null", True),
        ("true == 'true'", True),
        ("empty ''", True),
        ("empty null and empty ' '", False),
        ("'it\\'s'", "it's"),
        ('"a\\\\b"', "a\\b"),
        ("'2036-11-14T11:12:22'", "2036-11-14T11:12:22"),
    ],
)
def test_literals_and_operators(text: str, expected: Any) -> None:
    value = juel(text)
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("order.total", 12),
        ("order['total']", 12),
        ("order[key]", 12),
        ("order.lines[1].sku", "B"),
        ("order.lines['0'].sku", "A"),
        ("order.lines[7]", None),
        ("order.missing", None),
        ("order.missing.more", None),
        ("nothing.more", None),
        ("order.empty", "yes"),
        ("order.lines.size()", 2),
        ("order.containsKey('total')", True),
        ("order.get('total')", 12),
        ("order.lines.get(0).sku", "A"),
        ("order.lines.isEmpty()", False),
        ("numbers.contains(2)", True),
        ("numbers.contains(true)", False),
        ("text.contains('b')", True),
        ("text.startsWith('a') and text.endsWith('c')", True),
        ("text.length()", 3),
        ("text.toUpperCase().toLowerCase()", "abc"),
        ("text.substring(1)", "bc"),
        ("text.substring(1, 2)", "b"),
        ("' x '.trim()", "x"),
        ("text.equals('abc')", True),
        ("text.matches('[a-c]+')", True),
        ("text.matches('[a-b]+')", False),
        ("big + 1", BIG + 1),
        ("big * big", BIG * BIG),
        ("float == 0.1", True),
        ("float + 0.2", Decimal("0.3")),
        ("empty nothing", True),
        ("empty numbers", False),
    ],
)
def test_variables_paths_and_methods(text: str, expected: Any) -> None:
    value = juel(
        text,
        order={"total": 12, "lines": [{"sku": "A"}, {"sku": "B"}], "empty": "yes"},
        key="total",
        nothing=None,
        numbers=[1, 2.0, 3],
        text="abc",
        big=BIG,
        float=0.1,
    )
    assert value == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("${missing}", "Unknown property/variable 'missing'"),
        ("${missing == null}", "Unknown property/variable 'missing'"),
        ("${missing > 1}", "Unknown property/variable 'missing'"),
        ("${'a' + 'b'}", "The text 'a' is no number"),
        ("${'a' == 5}", "The text 'a' is no number"),
        ("${flag == 1}", "A boolean is no number"),
        ("${items > 1}", "A list is no number"),
        ("${items < items}", "A list and a list have no order"),
        ("${1 / 0}", "Division by zero"),
        ("${1 % 0}", "Division by zero"),
        ("${number.size}", "A number has no property 'size'"),
        ("${items.size}", "A list has no property 'size'"),
        ("${number.size()}", "A number has no method 'size'"),
        ("${items.length()}", "A list has no method 'length'"),
        ("${nothing.size()}", "A null has no method 'size'"),
        ("${items.get(1)}", "The index 1 is outside a list of 1 items"),
        ("${'abc'.substring(4)}", "substring(4, 3) is outside a text of 3 characters"),
        ("${number ? 1 : 2}", "A number is no boolean"),
        ("${not items}", "A list is no boolean"),
        ("${execution.processInstanceId}", "There is no execution to ask for 'processInstanceId' here"),
    ],
)
def test_failures_say_what_is_wrong(text: str, reason: str) -> None:
    assert failure(text, flag=True, items=[1], number=5, nothing=None) == reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("${service.run()}", "The method 'run' is not allowed"),
        ("${text.getClass()}", "The method 'getClass' is not allowed"),
        ("${now()}", "The function 'now' is not allowed"),
        ("${fn:length(x)}", "Unexpected ':'"),
        ("${}", "The expression ends too early"),
        ("${a", "The expression has no closing '}'"),
        ("${'a}", "The text literal has no end"),
        ("${a b}", "Unexpected 'b'"),
        ("${a and}", "The expression ends too early"),
        ("${'it''s'}", "Unexpected 's'"),
        ("${(a}", "Expected ')', but the expression ends"),
        ("${a ? b}", "Expected ':', but the expression ends"),
        ("${a; b}", "The character ';' starts no token"),
        ("${'\\d'}", "Unknown escape '\\d' in a text literal"),
        ("${{}}", "Unexpected '{'"),
        ("${x instanceof y}", "Unexpected 'instanceof'"),
        ("${text.substring()}", "'substring' takes 1 or 2 arguments, not 0"),
        ("${text.matches('(')}", "The regular expression '(' has a '(' without ')'"),
        ("${execution}", "'execution' is no value, only its members can be used"),
        ("${execution.engine}", "The member 'engine' of 'execution' is not allowed"),
        ("${execution.getVariable()}", "'getVariable' takes 1 arguments, not 0"),
    ],
)
def test_what_is_not_allowed_is_refused_when_compiled(text: str, reason: str) -> None:
    with pytest.raises(ExpressionSyntaxError) as refused:
        compile_expression(text)
    assert refused.value.reason == reason
    assert refused.value.text == text
    assert 0 <= refused.value.position <= len(text)
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("integerVariable<3", True),
        ('test.contains("a")', True),
        ('!test.contains("a")', False),
        ("\n  ${integerVariable == 2}\n", True),
        ("#{integerVariable > 2}", False),
        ("= integerVariable = 2", True),
        ("false", False),
    ],
)
def test_conditions_with_and_without_braces(text: str, expected: bool) -> None:
    assert truth(text, integerVariable=2, test="abc") is expected


@pytest.mark.parametrize("text", ["", "  ", "dummy condition expression", "some expression"])
def test_text_that_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(ExpressionSyntaxError):
        compile_condition(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("${1}", "number"), ("${'true'}", "text"), ("= null", "null"), ("= x.y", "null"), ("${l}", "list")],
)
def test_a_condition_has_to_be_boolean(text: str, kind: str) -> None:
    from bpm.core.expressions import EvaluationFailed

    with pytest.raises(EvaluationFailed, match=f"gives a {kind}, not a boolean"):
        compile_condition(text).truth(Variables({"l": []}))


def test_connectives_stop_at_the_first_decisive_operand() -> None:
    assert truth("${true or missing}") is True
    assert truth("${false and missing}") is False
    assert juel("true ? 1 : missing") == 1
