"""From a text of a model to an expression: which dialect it is, and templates."""

from __future__ import annotations

import re
from typing import Any, Final, Literal

from bpm.core.expressions.bounds import MAX_TEXT_LENGTH
from bpm.core.expressions.errors import ExpressionSyntaxError
from bpm.core.expressions.expression import Expression
from bpm.core.expressions.feel import compile_feel
from bpm.core.expressions.frame import Frame, bound_text
from bpm.core.expressions.juel import parser as juel
from bpm.core.expressions.juel.values import to_text
from bpm.core.expressions.lexer import read_tokens
from bpm.core.expressions.pratt import Node, Run

_OPENING: Final = re.compile(r"\\?[$#]\{")


def compile_expression(
    text: str, *, effects: bool = False, default: Literal["juel", "literal"] = "literal"
) -> Expression:
    r"""Compile a text of a model, surrounding space removed.

    Text that begins with ``=`` is FEEL; text with ``${…}`` or ``#{…}`` is JUEL, and keeps the type
    of its value if it is nothing but one such expression, else it is a template whose result is
    text (``\${`` stands for ``${`` itself). Anything else is what ``default`` says.

    Args:
        text: at most MAX_TEXT_LENGTH characters.
        effects: whether ``execution``'s setters may be called.
        default: ``literal`` makes other text a constant, ``juel`` an expression without braces.

    Raises:
        ExpressionSyntaxError: the text breaks a rule of its dialect or a bound.
    """
    stripped = text.strip()
    if len(stripped) > MAX_TEXT_LENGTH:
        raise ExpressionSyntaxError(
            stripped[:100], 0, f"The text is longer than {MAX_TEXT_LENGTH} characters"
        )
    if stripped.startswith("="):
        return compile_feel(stripped)
    if _OPENING.search(stripped):
        return _compile_template(stripped, effects)
    if default == "juel":
        return _compile_bare(stripped, effects)
    return Expression(stripped, "literal", frozenset(), False, lambda _frame: stripped)


def compile_condition(text: str) -> Expression:
    """Compile a condition: as ``compile_expression``, but other text is JUEL without braces.

    Ask the result by ``Expression.truth``.

    Raises:
        ExpressionSyntaxError: the text breaks a rule of its dialect, calls a setter, or is empty.
    """
    return compile_expression(text, default="juel")


def _compile_bare(text: str, effects: bool) -> Expression:
    parser = juel.JuelParser(
        text, read_tokens(juel.PATTERN, text, 0, escapes=juel.ESCAPES), allows_effects=effects
    )
    node = parser.parse_all()
    return _finish(text, node.run, [parser])


def _compile_template(text: str, effects: bool) -> Expression:
    pieces: list[str | Node] = []
    parsers: list[juel.JuelParser] = []
    position = 0
    while (opening := _OPENING.search(text, position)) is not None:
        pieces.append(text[position : opening.start()])
        if opening.group().startswith("\\"):
            pieces.append(opening.group()[1:])
            position = opening.end()
            continue
        tokens = read_tokens(juel.PATTERN, text, opening.end(), escapes=juel.ESCAPES, closing="}")
        parsers.append(juel.JuelParser(text, tokens, allows_effects=effects))
        pieces.append(parsers[-1].parse_all())
        position = tokens[-1].end
    pieces.append(text[position:])
    filled = [piece for piece in pieces if piece != ""]
    only = filled[0]
    run = only.run if len(filled) == 1 and isinstance(only, Node) else _join(filled)
    return _finish(text, run, parsers)


def _join(pieces: list[str | Node]) -> Run:
    def join(frame: Frame) -> Any:
        texts: list[str] = []
        size = 0
        for piece in pieces:
            texts.append(piece if isinstance(piece, str) else to_text(piece.run(frame)))
            size += len(texts[-1])
            if size > MAX_TEXT_LENGTH:
                break
        return bound_text("".join(texts))

    return join


def _finish(text: str, run: Run, parsers: list[juel.JuelParser]) -> Expression:
    computed = any(parser.computed_names for parser in parsers)
    names = None if computed else frozenset().union(*(parser.names for parser in parsers))
    return Expression(text, "juel", names, any(parser.has_effects for parser in parsers), run)
