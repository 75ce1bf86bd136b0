"""JUEL as Camunda 7 models use it: one expression between ``${`` and ``}``, without the braces."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from bpm.core.expressions import arithmetic
from bpm.core.expressions.errors import EvaluationFailed
from bpm.core.expressions.frame import Frame
from bpm.core.expressions.json_value import describe_type
from bpm.core.expressions.juel import execution as juel_execution
from bpm.core.expressions.juel.methods import ARITIES, call_method
from bpm.core.expressions.juel.operators import arithmetic_node, equality_node, order_node
from bpm.core.expressions.juel.values import is_empty, to_boolean, to_number, to_text
from bpm.core.expressions.lexer import NUMBER, Token
from bpm.core.expressions.pratt import Infix, Node, Parser, Prefix, Run, constant_node, tallest
from bpm.core.expressions.regex.parser import compile_regex
from bpm.core.expressions.regex.pattern import RegexSyntaxError

PATTERN: Final = re.compile(
    r"\s+|"
    + NUMBER
    + r"""|(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
    + r"|(?P<name>(?:[^\W\d]|\$)[\w$]*)"
    + r"|(?P<op>&&|\|\||[=!<>]=|[-+*/%<>!?:.,()\[\]{}])",
    re.DOTALL,
)
ESCAPES: Final = "\"'\\"


class JuelParser(Parser):
    """A parse of one JUEL expression; collects which variables it reads and whether it writes."""

    __slots__ = ("allows_effects", "computed_names", "has_effects")

    def __init__(self, text: str, tokens: list[Token], *, allows_effects: bool) -> None:
        """Parse ``tokens`` of ``text``; without ``allows_effects`` a setter is refused."""
        super().__init__(text, tokens, _PREFIXES, _INFIXES)
        self.allows_effects = allows_effects
        self.has_effects = False
        self.computed_names = False


def _parse_number(parser: JuelParser, token: Token) -> Node:
    value = arithmetic.parse_number(token.text)
    if value is None:
        parser.fail(token, "The number is too long")
    return constant_node(value)


def _parse_name(parser: JuelParser, token: Token) -> Node:
    name = token.text
    if name in _OPERATOR_WORDS or name == "instanceof":
        parser.refuse_token(token)
    if parser.peek().text == "(" and parser.peek().kind == "op":
        parser.fail(token, f"The function {name!r} is not allowed")
    if name == "execution":
        return _parse_execution(parser, token)
    parser.names.add(name)

    def read(frame: Frame) -> Any:
        try:
            return frame.lookup(name)
        except KeyError:
            raise EvaluationFailed(f"Unknown property/variable {name!r}") from None

    return Node(read, name=name)


def _parse_execution(parser: JuelParser, token: Token) -> Node:
    if not parser.take("."):
        parser.fail(token, "'execution' is no value, only its members can be used")
    member = parser.advance()
    name = member.text
    called = parser.take("(")
    if not called and name in juel_execution.ATTRIBUTES:
        return Node(juel_execution.read_attribute(name))
    writes = name in juel_execution.WRITERS
    if not called or not (writes or name in juel_execution.READERS):
        parser.fail(member, f"The member {name!r} of 'execution' is not allowed")
    if writes and not parser.allows_effects:
        parser.fail(member, f"{name!r} has an effect, and none is allowed here")
    arguments = _parse_arguments(parser)
    expected = juel_execution.WRITERS[name][0] if writes else 1
    if len(arguments) != expected:
        parser.fail(member, f"{name!r} takes {expected} arguments, not {len(arguments)}")
    _note_variable(parser, arguments[0])
    parser.has_effects |= writes
    return Node(juel_execution.call(name, [node.run for node in arguments]), tallest(*arguments))


def _note_variable(parser: JuelParser, argument: Node) -> None:
    if argument.constant and isinstance(argument.constant[0], str):
        parser.names.add(argument.constant[0])
    else:
        parser.computed_names = True


def _parse_arguments(parser: JuelParser) -> list[Node]:
    arguments: list[Node] = []
    if parser.take(")"):
        return arguments
    arguments.append(parser.parse())
    while parser.take(","):
        arguments.append(parser.parse())
    parser.expect(")")
    return arguments


def _parse_group(parser: JuelParser, _token: Token) -> Node:
    node = parser.parse()
    parser.expect(")")
    return Node(node.run, node.height, constant=node.constant, name=node.name)


def _parse_unary(convert: Callable[[Any], Any]) -> Prefix:
    def parse(parser: JuelParser, _token: Token) -> Node:
        operand = parser.parse(_UNARY)
        run = operand.run
        return Node(lambda frame: convert(run(frame)), tallest(operand))

    return parse


def _parse_member(parser: JuelParser, receiver: Node, _token: Token) -> Node:
    member = parser.advance()
    if member.kind != "name":
        parser.refuse_token(member)
    name, run = member.text, receiver.run
    if not parser.take("("):
        return Node(lambda frame: _get_property(run(frame), name), tallest(receiver))
    if name not in ARITIES:
        parser.fail(member, f"The method {name!r} is not allowed")
    nodes = _parse_arguments(parser)
    if len(nodes) not in ARITIES[name]:
        wanted = " or ".join(map(str, ARITIES[name]))
        parser.fail(member, f"{name!r} takes {wanted} arguments, not {len(nodes)}")
    if name == "matches" and nodes[0].constant:
        _check_pattern(parser, member, nodes[0].constant[0])
    arguments = [node.run for node in nodes]

    def call(frame: Frame) -> Any:
        return call_method(frame, run(frame), name, [argument(frame) for argument in arguments])

    return Node(call, tallest(receiver, *nodes))


def _check_pattern(parser: JuelParser, member: Token, pattern: Any) -> None:
    try:
        compile_regex(to_text(pattern))
    except RegexSyntaxError as error:
        parser.fail(member, str(error))


def _parse_index(parser: JuelParser, receiver: Node, _token: Token) -> Node:
    index = parser.parse()
    parser.expect("]")
    run, key = receiver.run, index.run
    return Node(lambda frame: _get_property(run(frame), key(frame)), tallest(receiver, index))


def _get_property(value: Any, key: Any) -> Any:
    if value is None or key is None:
        return None
    if isinstance(value, dict):
        return value.get(to_text(key))
    index = arithmetic.parse_number(key) if isinstance(key, str) else arithmetic.read_number(key)
    if isinstance(value, list) and index is not None:
        return value[int(index)] if index == int(index) and 0 <= index < len(value) else None
    raise EvaluationFailed(f"A {describe_type(value)} has no property {to_text(key)[:80]!r}")


def _parse_choice(parser: JuelParser, condition: Node, _token: Token) -> Node:
    positive = parser.parse()
    parser.expect(":")
    negative = parser.parse()
    test, first, second = condition.run, positive.run, negative.run
    return Node(
        lambda frame: first(frame) if to_boolean(test(frame)) else second(frame),
        tallest(condition, positive, negative),
    )


def _parse_connective(symbol: str, power: int) -> Infix:
    decisive = symbol == "or"

    def parse(parser: JuelParser, left: Node, _token: Token) -> Node:
        right = parser.parse(power)
        runs = (
            [*left.parts[1], right.run] if left.parts and left.parts[0] == symbol else [left.run, right.run]
        )
        height = max(left.height, right.height + 1) if len(runs) > 2 else tallest(left, right)
        return Node(_connect(runs, decisive), height, parts=(symbol, runs))

    return power, parse


def _connect(runs: list[Run], decisive: bool) -> Run:
    def connect(frame: Frame) -> bool:
        for run in runs:
            value = run(frame)
            if value is decisive or (value is not (not decisive) and to_boolean(value) is decisive):
                return decisive
        return not decisive

    return connect


def _parse_binary(build: Callable[[Node, Node], Node], power: int) -> Infix:
    return power, lambda parser, left, _token: build(left, parser.parse(power))


_UNARY: Final = 80
_POSTFIX: Final = 90
_OPERATOR_WORDS: Final = frozenset({"and", "or", "eq", "ne", "lt", "gt", "le", "ge", "div", "mod"})

_PREFIXES: Final[Mapping[str, Prefix]] = {
    "<number>": _parse_number,
    "<string>": lambda _parser, token: constant_node(token.text),
    "<name>": _parse_name,
    "true": lambda _parser, _token: constant_node(True),
    "false": lambda _parser, _token: constant_node(False),
    "null": lambda _parser, _token: constant_node(None),
    "(": _parse_group,
    "-": _parse_unary(lambda value: arithmetic.negate(to_number(value))),
    "!": _parse_unary(lambda value: not to_boolean(value)),
    "not": _parse_unary(lambda value: not to_boolean(value)),
    "empty": _parse_unary(is_empty),
}

_INFIXES: Final[Mapping[str, Infix]] = {
    "?": (10, _parse_choice),
    **{word: _parse_connective("or", 20) for word in ("or", "||")},
    **{word: _parse_connective("and", 30) for word in ("and", "&&")},
    **{word: _parse_binary(equality_node(True), 40) for word in ("eq", "==")},
    **{word: _parse_binary(equality_node(False), 40) for word in ("ne", "!=")},
    **{word: _parse_binary(order_node(operator.lt), 50) for word in ("lt", "<")},
    **{word: _parse_binary(order_node(operator.gt), 50) for word in ("gt", ">")},
    **{word: _parse_binary(order_node(operator.le), 50) for word in ("le", "<=")},
    **{word: _parse_binary(order_node(operator.ge), 50) for word in ("ge", ">=")},
    "+": _parse_binary(arithmetic_node(arithmetic.add, "+"), 60),
    "-": _parse_binary(arithmetic_node(arithmetic.subtract, "-"), 60),
    "*": _parse_binary(arithmetic_node(arithmetic.multiply, "*"), 70),
    **{word: _parse_binary(arithmetic_node(arithmetic.divide, "/"), 70) for word in ("/", "div")},
    **{word: _parse_binary(arithmetic_node(arithmetic.remainder, "%"), 70) for word in ("%", "mod")},
    ".": (_POSTFIX, _parse_member),
    "[": (_POSTFIX, _parse_index),
}
