"""FEEL's tables of what starts and what continues an expression, and the ways to compile a text."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from bpm.core.expressions.expression import Expression
from bpm.core.expressions.feel import access, control, literals, operators
from bpm.core.expressions.feel.lexicon import ESCAPES, PATTERN
from bpm.core.expressions.feel.parser import FeelParser
from bpm.core.expressions.feel.types import FeelType
from bpm.core.expressions.lexer import Token, read_tokens
from bpm.core.expressions.pratt import Infix, Node, Prefix, constant_node, tallest

_OR, _AND, _COMPARISON, _SUM, _PRODUCT, _POWER, _SIGN, _INSTANCE, _POSTFIX = range(10, 100, 10)


def _binary(build: Callable[[Node, Node], Node], power: int) -> Infix:
    return power, lambda parser, left, _token: build(left, parser.parse(power))


def _order(order: Callable[[Any, Any], bool]) -> Infix:
    return _binary(operators.binary_node(operators.order_test(order)), _COMPARISON)


def _calculation(apply: operators.Apply, power: int) -> Infix:
    return _binary(operators.binary_node(apply), power)


def _connective(symbol: str, power: int) -> Infix:
    return power, lambda parser, left, _token: operators.connective_node(symbol, left, parser.parse(power))


def _parse_sign(parser: FeelParser, _token: Token) -> Node:
    operand = parser.parse(_SIGN)
    run = operand.run
    if operand.constant is not None:
        return constant_node(operators.negated(operand.constant[0]))
    return Node(lambda frame: operators.negated(run(frame)), tallest(operand))


def _parse_between(parser: FeelParser, value: Node, _token: Token) -> Node:
    low = parser.parse(_COMPARISON)
    parser.expect("and")
    return operators.between_node(value, low, parser.parse(_COMPARISON))


def _parse_in(parser: FeelParser, value: Node, _token: Token) -> Node:
    if not parser.take("("):
        return operators.membership_node(value, [literals.parse_test(parser)])
    tests = [_parse_listed_test(parser)]
    if parser.take(".."):
        span = literals.finish_range(parser, tests[0], includes_start=False)
        return operators.membership_node(value, [parser.continue_from(span, _COMPARISON)])
    while parser.take(","):
        tests.append(_parse_listed_test(parser))
    parser.expect(")")
    if len(tests) == 1:
        tests = [parser.continue_from(tests[0], _COMPARISON)]
    return operators.membership_node(value, tests)


def _parse_listed_test(parser: FeelParser) -> Node:
    token = parser.peek()
    return (
        literals.parse_test(parser)
        if token.text in literals.TEST_SIGNS and token.kind == "op"
        else parser.parse()
    )


_PREFIXES: Final[Mapping[str, Prefix]] = {
    "<number>": literals.parse_numeral,
    "<string>": lambda _parser, token: constant_node(token.text),
    "<name>": literals.parse_name,
    "true": lambda _parser, _token: constant_node(True),
    "false": lambda _parser, _token: constant_node(False),
    "null": lambda _parser, _token: constant_node(None),
    "@": literals.parse_at_literal,
    "(": literals.parse_group,
    "[": literals.parse_bracket,
    "]": literals.parse_open_range,
    "{": literals.parse_context,
    "-": _parse_sign,
    "if": control.parse_if,
    "for": control.parse_for,
    "some": control.parse_quantified,
    "every": control.parse_quantified,
    "function": control.parse_function,
}

_INFIXES: Final[Mapping[str, Infix]] = {
    "or": _connective("or", _OR),
    "and": _connective("and", _AND),
    "=": _binary(operators.equality_node(True), _COMPARISON),
    "!=": _binary(operators.equality_node(False), _COMPARISON),
    "<": _order(operator.lt),
    ">": _order(operator.gt),
    "<=": _order(operator.le),
    ">=": _order(operator.ge),
    "between": (_COMPARISON, _parse_between),
    "in": (_COMPARISON, _parse_in),
    "+": _binary(operators.sum_node, _SUM),
    "-": _calculation(operators.minus, _SUM),
    "*": _calculation(operators.times, _PRODUCT),
    "/": _calculation(operators.divided_by, _PRODUCT),
    "**": _calculation(operators.to_the_power, _POWER),
    "instance": (_INSTANCE, access.parse_instance_of),
    ".": (_POSTFIX, access.parse_path),
    "[": (_POSTFIX, access.parse_filter),
    "(": (_POSTFIX, access.parse_call),
}


def make_parser(
    text: str, start: int, names: Iterable[str], types: Mapping[str, FeelType] | None = None
) -> FeelParser:
    """Parser of the text from an offset on."""
    tokens = read_tokens(PATTERN, text, start, escapes=ESCAPES)
    return FeelParser(text, tokens, (_PREFIXES, _INFIXES), names, types)


def compile_feel(
    text: str, names: Iterable[str] = (), types: Mapping[str, FeelType] | None = None
) -> Expression:
    """Compile an expression of FEEL, with or without the leading ``=``.

    Args:
        text: the expression.
        names: variables and properties that are known to exist; only those whose names have
            signs or keywords in them have to be told, or those named like a library function.
        types: types besides those of FEEL, by name.

    Raises:
        ExpressionSyntaxError: the text breaks a rule of FEEL or a bound.
    """
    parser = make_parser(text, 1 if text.startswith("=") else 0, names, types)
    node = parser.parse_all()
    return Expression(text, "feel", frozenset(parser.names), False, node.run)


def compile_unary_tests(
    text: str, names: Iterable[str] = (), types: Mapping[str, FeelType] | None = None
) -> Expression:
    """Compile the unary tests of a decision table's cell: ``-``, ``< 5``, ``"a", "b"``, ``not(…)``.

    The result is true when any of them holds for the variable ``?``, an expression also when it
    gives true itself.

    Args:
        text: the tests.
        names: as for ``compile_feel``.
        types: as for ``compile_feel``.

    Raises:
        ExpressionSyntaxError: the text breaks a rule of FEEL or a bound.
    """
    if text.strip() == "-":
        return Expression(text, "feel", frozenset(), False, lambda _frame: True)
    parser = make_parser(text, 0, names, types)
    negated = parser.peek().text == "not" and parser.peek(1).text == "("
    if negated:
        parser.index += 2
    tests = [_parse_cell_test(parser)]
    while parser.take(","):
        tests.append(_parse_cell_test(parser))
    if negated:
        parser.expect(")")
    if parser.peek().kind != "end":
        parser.refuse_token(parser.peek())
    run = operators.any_test(tests, negated=negated)
    return Expression(text, "feel", frozenset(parser.names | {"?"}), False, run)


def _parse_cell_test(parser: FeelParser) -> tuple[Node, bool]:
    before = "?" in parser.uses
    parser.uses.discard("?")
    node = _parse_listed_test(parser)
    uses_input = "?" in parser.uses
    if before:
        parser.uses.add("?")
    return node, uses_input
