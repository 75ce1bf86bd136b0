"""Types in the text of FEEL: names, ``list<…>``, ``context<…>``, ``function<…> -> …``, ``range<…>``."""

from __future__ import annotations

from bpm.core.expressions.feel.parser import FeelParser
from bpm.core.expressions.feel.types import SPACED_TYPES, FeelType


def parse_type(parser: FeelParser) -> FeelType:
    """A type; an unknown name is a type nothing is of."""
    parser.descend()
    name = _parse_type_name(parser)
    plain = parser.types.get(name, FeelType(name))
    kind = _parse_arguments(parser, name) if parser.peek().text == "<" else plain
    parser.depth -= 1
    return kind


def _parse_type_name(parser: FeelParser) -> str:
    token = parser.advance()
    if token.kind != "name":
        parser.refuse_token(token)
    for words in SPACED_TYPES:
        rest = [parser.peek(step).text for step in range(len(words) - 1)]
        if (token.text, *rest) == words:
            parser.index += len(rest)
            return " ".join(words)
    name = token.text
    while parser.take("."):
        name += f".{parser.advance().text}"
    return name


def _parse_arguments(parser: FeelParser, name: str) -> FeelType:
    if name not in ("list", "range", "context", "function"):
        return FeelType(name)
    parser.expect("<")
    if name in ("list", "range"):
        items = parse_type(parser)
        parser.expect(">")
        return FeelType(name, items)
    if name == "context":
        return FeelType(name, fields=_parse_fields(parser))
    parameters: list[FeelType] = []
    while not parser.take(">"):
        if parameters:
            parser.expect(",")
        parameters.append(parse_type(parser))
    parser.expect("->")
    return FeelType(name, parse_type(parser), parameters=tuple(parameters))


def _parse_fields(parser: FeelParser) -> dict[str, FeelType]:
    fields: dict[str, FeelType] = {}
    while not parser.take(">"):
        if fields:
            parser.expect(",")
        words: list[str] = []
        while not parser.take(":"):
            token = parser.advance()
            if token.kind == "end":
                parser.refuse_token(token)
            words.append(token.text)
        fields[" ".join(words)] = parse_type(parser)
    return fields
