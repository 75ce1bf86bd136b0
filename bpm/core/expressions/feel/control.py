"""What binds names in FEEL: ``for``, ``some``, ``every``, ``function``, and ``if``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from bpm.core.expressions.feel.functions import FeelFunction
from bpm.core.expressions.feel.iteration import iterate
from bpm.core.expressions.feel.parser import FeelParser
from bpm.core.expressions.feel.type_parser import parse_type
from bpm.core.expressions.feel.types import FeelType
from bpm.core.expressions.frame import Frame
from bpm.core.expressions.lexer import Token
from bpm.core.expressions.pratt import Node, Run, tallest

_FRAMES_PER_CALL: Final = 5
Domain = tuple[str, Run, Run | None]


def parse_if(parser: FeelParser, _token: Token) -> Node:
    """``if c then a else b``; anything but true takes the second."""
    condition = parser.parse()
    parser.expect("then")
    positive = parser.parse()
    parser.expect("else")
    negative = parser.parse()
    test, first, second = condition.run, positive.run, negative.run
    return Node(
        lambda frame: first(frame) if test(frame) is True else second(frame),
        tallest(condition, positive, negative),
    )


def parse_for(parser: FeelParser, _token: Token) -> Node:
    """``for x in domain, … return body``; ``partial`` is the list of the results so far."""
    used_before = "partial" in parser.uses
    parser.uses.discard("partial")
    nodes, domains, body = _parse_domains(parser, "return", ["partial"])
    needs_partial = "partial" in parser.uses
    if used_before:
        parser.uses.add("partial")
    result = body.run

    def run(frame: Frame) -> Any:
        results: list[Any] = []
        combinations = _combine(frame, domains, 0)
        if combinations is None:
            return None
        for inner in combinations:
            if needs_partial:
                inner.charge(len(results))
                results.append(result(inner.bind({"partial": list(results)})))
            else:
                results.append(result(inner))
        return results

    return Node(run, tallest(*nodes, body) + len(domains))


def parse_quantified(parser: FeelParser, token: Token) -> Node:
    """``some`` or ``every`` ``x in domain, … satisfies test``."""
    nodes, domains, body = _parse_domains(parser, "satisfies", [])
    decisive, test = token.text == "some", body.run

    def run(frame: Frame) -> bool | None:
        combinations = _combine(frame, domains, 0)
        if combinations is None:
            return None
        result: bool | None = not decisive
        for inner in combinations:
            value = test(inner)
            if value is decisive:
                return bool(decisive)
            if value is not (not decisive):
                result = None
        return result

    return Node(run, tallest(*nodes, body) + len(domains))


def _parse_domains(
    parser: FeelParser, closing: str, extra: list[str]
) -> tuple[list[Node], list[Domain], Node]:
    nodes: list[Node] = []
    domains: list[Domain] = []
    with parser.binding(()):
        while True:
            name = parse_variable_name(parser, "in")
            first = parser.parse()
            last = parser.parse() if parser.take("..") else None
            nodes += [first] if last is None else [first, last]
            domains.append((name, first.run, None if last is None else last.run))
            parser.bind_more(name)
            if not parser.take(","):
                break
        parser.expect(closing)
        for name in extra:
            parser.bind_more(name)
        return nodes, domains, parser.parse()


def parse_variable_name(parser: FeelParser, closing: str) -> str:
    """A new name, all words up to the keyword or sign that follows it."""
    words: list[str] = []
    while not parser.take(closing):
        token = parser.advance()
        if token.kind not in ("name", "number") or (not words and token.kind != "name"):
            parser.refuse_token(token)
        words.append(token.text)
    if not words:
        parser.fail(parser.peek(), f"Expected a name before {closing!r}")
    return " ".join(words)


def _combine(frame: Frame, domains: list[Domain], depth: int) -> Iterator[Frame] | None:
    """Frames of all combinations; None when a first domain has no items to go through."""
    name, first, last = domains[depth]
    items = iterate(frame, first(frame), None if last is None else (last(frame),))
    if items is None:
        return None
    return _go_through(frame, domains, depth, name, items)


def _go_through(frame: Frame, domains: list[Domain], depth: int, name: str, items: Any) -> Iterator[Frame]:
    for item in items:
        inner = frame.bind({name: item})
        if depth + 1 == len(domains):
            yield inner
        else:
            yield from _combine(inner, domains, depth + 1) or ()


def parse_function(parser: FeelParser, _token: Token) -> Node:
    """``function(a: type, b) body``."""
    parser.expect("(")
    names: list[str] = []
    types: list[FeelType | None] = []
    while not parser.take(")"):
        if names:
            parser.expect(",")
        names.append(_parse_parameter(parser))
        types.append(parse_type(parser) if parser.take(":") else None)
    result = parse_type(parser) if parser.take("->") else None
    if parser.peek().text == "external" and parser.peek(1).text == "{":
        parser.fail(parser.peek(), "An external function is not allowed")
    with parser.binding(names):
        for name in names:
            parser.properties.add(name)
        body = parser.parse()
    parameters, kinds, run = tuple(names), tuple(types), body.run
    height = body.height + _FRAMES_PER_CALL
    return Node(lambda frame: FeelFunction(parameters, kinds, run, frame, height, result), tallest(body))


def _parse_parameter(parser: FeelParser) -> str:
    words: list[str] = []
    while parser.peek().kind in ("name", "number"):
        words.append(parser.advance().text)
    if not words:
        parser.refuse_token(parser.peek())
    return " ".join(words)
