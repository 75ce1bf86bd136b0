"""What follows an operand in FEEL: paths, filters, calls, ``instance of``."""

from __future__ import annotations

from typing import Any

from bpm.core.expressions.arithmetic import read_number
from bpm.core.expressions.feel.functions import Builtin, FeelFunction
from bpm.core.expressions.feel.parser import FeelParser
from bpm.core.expressions.feel.properties import get_property
from bpm.core.expressions.feel.type_parser import parse_type
from bpm.core.expressions.frame import Frame
from bpm.core.expressions.lexer import Token
from bpm.core.expressions.pratt import Node, tallest


def parse_path(parser: FeelParser, receiver: Node, _token: Token) -> Node:
    """``value.name``."""
    token = parser.advance()
    if token.kind != "name":
        parser.refuse_token(token)
    name, run = parser.read_name(token, [parser.properties]), receiver.run
    return Node(lambda frame: get_property(frame, run(frame), name), tallest(receiver))


def parse_filter(parser: FeelParser, receiver: Node, _token: Token) -> Node:
    """``list[condition]`` or ``list[index]``; in it, ``item`` and the item's entries are names."""
    parser.dynamic += 1
    with parser.binding(["item"]):
        condition = parser.parse()
    parser.dynamic -= 1
    parser.expect("]")
    read, test = receiver.run, condition.run

    def run(frame: Frame) -> Any:
        value = read(frame)
        items = value if isinstance(value, list) else [] if value is None else [value]
        if condition.constant is not None:
            return _apply_constant(items, condition.constant[0])
        kept = []
        for item in items or [None]:
            names = {"item": item, **item} if isinstance(item, dict) else {"item": item}
            passed = test(frame.bind(names))
            index = read_number(passed)
            if index is not None:
                return _pick(items, index)
            if passed is True and items:
                kept.append(item)
            elif passed is not None and not isinstance(passed, bool):
                return None
        return kept

    return Node(run, tallest(receiver, condition))


def _apply_constant(items: list[Any], constant: Any) -> Any:
    index = read_number(constant)
    if index is not None:
        return _pick(items, index)
    if constant is True:
        return list(items)
    return [] if constant is None or constant is False else None


def _pick(items: list[Any], index: Any) -> Any:
    if index != int(index) or not 1 <= abs(index) <= len(items):
        return None
    return items[int(index) - 1 if index > 0 else int(index)]


def parse_call(parser: FeelParser, callee: Node, _token: Token) -> Node:
    """``function(a, b)`` or ``function(name: a, other name: b)``."""
    names: list[str] = []
    nodes: list[Node] = []
    while not parser.take(")"):
        if nodes:
            parser.expect(",")
        name = _take_argument_name(parser)
        nodes.append(parser.parse())
        if name is not None:
            names.append(name)
    if names and len(names) != len(nodes):
        parser.fail(parser.peek(), "Some arguments have names and some have none")
    read, runs, labels = callee.run, [node.run for node in nodes], names or None

    def run(frame: Frame) -> Any:
        function = read(frame)
        if not isinstance(function, Builtin | FeelFunction):
            return None
        return function.call(frame, [argument(frame) for argument in runs], labels)

    return Node(run, tallest(callee, *nodes))


def _take_argument_name(parser: FeelParser) -> str | None:
    words: list[str] = []
    while parser.peek(len(words)).kind in ("name", "number"):
        words.append(parser.peek(len(words)).text)
    after = parser.peek(len(words))
    if not words or after.kind != "op" or after.text != ":":
        return None
    parser.index += len(words) + 1
    return " ".join(words)


def parse_instance_of(parser: FeelParser, value: Node, _token: Token) -> Node:
    """``value instance of type``; null for a type nobody knows."""
    parser.expect("of")
    kind, run = parse_type(parser), value.run
    if not kind.is_known():
        return Node(lambda _frame: None, tallest(value))
    return Node(lambda frame: kind.has(run(frame)), tallest(value))
