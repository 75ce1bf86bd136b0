"""The lexer of both dialects: a dialect is a pattern with named groups."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, NoReturn

from bpm.core.expressions.errors import ExpressionSyntaxError

Kind = Literal["number", "string", "name", "op", "end"]

NUMBER: Final = r"(?P<number>(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?)"
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{6}|.|$)", re.DOTALL)
_CONTROL: Final = {"n": "\n", "t": "\t", "r": "\r"}


class Token(NamedTuple):
    """One token; ``text`` of a string is its content with the escapes replaced."""

    kind: str
    text: str
    start: int
    end: int


def read_tokens(
    pattern: re.Pattern[str], text: str, start: int, *, escapes: str, closing: str = ""
) -> list[Token]:
    """Tokens of ``text`` from ``start`` on, the last one of kind ``end``.

    Args:
        pattern: alternatives in groups named like the token kinds; a match without a group is
            skipped (space, comments).
        text: the whole text.
        start: offset of the first character to read.
        escapes: the characters that may follow a backslash in a string; with ``*`` among them, a
            backslash before any other stands for itself.
        closing: with ``"}"``, the first closing brace that was not opened ends the tokens.

    Raises:
        ExpressionSyntaxError: a character starts no token, a string has no end or a wrong escape,
            or ``closing`` is missing.
    """
    tokens: list[Token] = []
    position, size, open_braces = start, len(text), 0
    while position < size:
        found = pattern.match(text, position)
        if found is None or found.end() == position:
            _refuse_character(text, position)
        kind, end = found.lastgroup, found.end()
        word = found.group()
        if kind == "op" and closing:
            open_braces += (word == "{") - (word == "}")
            if open_braces < 0:
                tokens.append(Token("end", word, position, end))
                return tokens
        if kind == "string":
            tokens.append(Token(kind, _unescape(text, position + 1, word[1:-1], escapes), position, end))
        elif kind is not None:
            tokens.append(Token(kind, word, position, end))
        position = end
    if closing:
        raise ExpressionSyntaxError(text, max(start - 2, 0), f"The expression has no closing {closing!r}")
    tokens.append(Token("end", "", size, size))
    return tokens


def _refuse_character(text: str, position: int) -> NoReturn:
    character = text[position]
    if character in "\"'":
        raise ExpressionSyntaxError(text, position, "The text literal has no end")
    raise ExpressionSyntaxError(text, position, f"The character {character!r} starts no token")


def _unescape(text: str, start: int, content: str, escapes: str) -> str:
    if "\\" not in content:
        return content

    def replace(found: re.Match[str]) -> str:
        code = found.group(1)
        if "*" in escapes and (code[0] not in escapes or code in ("u", "U")):
            return found.group()
        if not code or code[0] not in escapes or code in ("u", "U"):
            reason = f"Unknown escape '\\{code}' in a text literal"
            raise ExpressionSyntaxError(text, start + found.start(), reason)
        if len(code) > 1:
            return _decode(text, start + found.start(), int(code[1:], 16))
        return _CONTROL.get(code, code)

    return _join_surrogates(_ESCAPE.sub(replace, content), text, start)


def _decode(text: str, position: int, code: int) -> str:
    if code > 0x10FFFF or code == 0:
        raise ExpressionSyntaxError(text, position, "The escape is no character of Unicode")
    return chr(code)


def _join_surrogates(content: str, text: str, start: int) -> str:
    if not any("\ud800" <= character <= "\udfff" for character in content):
        return content
    try:
        return content.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise ExpressionSyntaxError(text, start, "The text literal has half a surrogate pair") from None
