"""Literals and brackets of FEEL: numbers, texts, ``@``, lists, contexts, ranges, groups."""

from __future__ import annotations

from typing import Any, Final, cast

from bpm.core.expressions.arithmetic import parse_number
from bpm.core.expressions.feel.comparison import compare
from bpm.core.expressions.feel.lexicon import KEYWORDS
from bpm.core.expressions.feel.parser import FeelParser
from bpm.core.expressions.feel.ranges import Form, Range, one_sided_range
from bpm.core.expressions.feel.temporal_parser import parse_temporal
from bpm.core.expressions.frame import Frame
from bpm.core.expressions.lexer import Token
from bpm.core.expressions.pratt import Node, Run, constant_node, tallest

TEST_SIGNS: Final = frozenset({"<", "<=", ">", ">=", "=", "!="})
_COMPARISON_POWER: Final = 30


def parse_numeral(parser: FeelParser, token: Token) -> Node:
    """A number."""
    value = parse_number(token.text)
    if value is None:
        parser.fail(token, "The number is too big")
    return constant_node(value)


def parse_name(parser: FeelParser, token: Token) -> Node:
    """A name."""
    name = parser.read_name(token, parser.tables)
    if name in KEYWORDS:
        parser.refuse_token(token)
    return parser.name_node(name)


def parse_at_literal(parser: FeelParser, _token: Token) -> Node:
    """``@"…"``: a date, time or duration, null when the text is none."""
    token = parser.advance()
    if token.kind != "string":
        parser.refuse_token(token)
    return constant_node(parse_temporal(token.text))


def parse_bracket(parser: FeelParser, _token: Token) -> Node:
    """``[…]``: a list, or a range that includes its start."""
    if parser.take("]"):
        return Node(lambda _frame: [])
    nodes = [parser.parse()]
    if parser.take(".."):
        return finish_range(parser, nodes[0], includes_start=True)
    while parser.take(","):
        nodes.append(parser.parse())
    parser.expect("]")
    runs = [node.run for node in nodes]

    def run(frame: Frame) -> list[Any]:
        frame.charge(len(runs))
        return [item(frame) for item in runs]

    return Node(run, tallest(*nodes))


def parse_open_range(parser: FeelParser, _token: Token) -> Node:
    """``]a..b]``: a range without its start."""
    start = parser.parse()
    parser.expect("..")
    return finish_range(parser, start, includes_start=False)


def parse_group(parser: FeelParser, _token: Token) -> Node:
    """``(…)``: an expression, a range without its start, or a test such as ``(< 5)``."""
    if parser.peek().kind == "op" and parser.peek().text in TEST_SIGNS:
        node = parse_test(parser)
        parser.expect(")")
        return node
    node = parser.parse()
    if parser.take(".."):
        return finish_range(parser, node, includes_start=False)
    parser.expect(")")
    return Node(node.run, node.height, constant=node.constant, name=node.name)


def parse_test(parser: FeelParser) -> Node:
    """A unary test: a sign and a value, or any expression or range."""
    token = parser.peek()
    if token.kind != "op" or token.text not in TEST_SIGNS:
        return parser.parse(_COMPARISON_POWER)
    parser.advance()
    form = cast("Form", token.text)
    operand = parser.parse(_COMPARISON_POWER)
    run = operand.run
    return Node(lambda frame: one_sided_range(form, run(frame)), tallest(operand))


def finish_range(parser: FeelParser, start: Node, *, includes_start: bool) -> Node:
    """The range whose start and ``..`` have been read."""
    parser.range_ends += 1
    end = parser.parse()
    parser.range_ends -= 1
    closing = parser.advance()
    if closing.kind != "op" or closing.text not in ("]", ")", "["):
        parser.refuse_token(closing)
    first, last, includes_end = start.run, end.run, closing.text == "]"

    def run(frame: Frame) -> Range | None:
        low, high = first(frame), last(frame)
        if low is not None and high is not None and compare(low, high) is None:
            return None
        return Range(low, high, includes_start, includes_end)

    return Node(run, tallest(start, end))


def parse_context(parser: FeelParser, _token: Token) -> Node:
    """``{key: value, …}``: an entry sees those before it; a function sees itself too."""
    entries: list[tuple[str, Run]] = []
    nodes: list[Node] = []
    with parser.binding(()):
        while not parser.take("}"):
            if entries:
                parser.expect(",")
            key = _parse_key(parser)
            if any(key == name for name, _ in entries):
                parser.fail(parser.peek(), f"The entry {key!r} stands twice in one context")
            if parser.peek().text == "function":
                parser.bind_more(key)
            nodes.append(parser.parse())
            entries.append((key, nodes[-1].run))
            parser.bind_more(key)
    return Node(lambda frame: _fill_context(frame, entries), tallest(*nodes))


def _fill_context(frame: Frame, entries: list[tuple[str, Run]]) -> dict[str, Any]:
    inner = frame.bind({})
    inner.charge(len(entries))
    context: dict[str, Any] = {}
    for key, run in entries:
        context[key] = inner.locals[key] = run(inner)
    return context


def _parse_key(parser: FeelParser) -> str:
    first = parser.peek()
    if first.kind == "string":
        parser.advance()
        parser.expect(":")
        return first.text
    last = first
    while not (parser.peek().kind == "op" and parser.peek().text == ":"):
        last = parser.advance()
        if last.kind in ("end", "string") or (last.kind == "op" and last.text not in "+-*/.'"):
            parser.refuse_token(last)
    if first.kind != "name":
        parser.refuse_token(first)
    parser.advance()
    return " ".join(parser.text[first.start : last.end].split())
