"""Ranges as text: two literals between brackets, either of which may be missing."""

from __future__ import annotations

from typing import Any, Final

from bpm.core.expressions.errors import ExpressionSyntaxError
from bpm.core.expressions.feel.comparison import compare
from bpm.core.expressions.feel.grammar import make_parser
from bpm.core.expressions.feel.lexicon import ESCAPES, PATTERN
from bpm.core.expressions.feel.ranges import Form, Range, one_sided_range
from bpm.core.expressions.frame import Frame
from bpm.core.expressions.lexer import read_tokens

_CONSTRUCTORS: Final = frozenset({"date", "time", "duration", "date and time", "years and months duration"})


def read_range(frame: Frame, text: str) -> Range | None:
    """The range, None when the text is none.

    The ends are numbers, texts, ``@`` literals or calls such as ``date("…")`` with a text.
    """
    try:
        tokens = read_tokens(PATTERN, text, 0, escapes=ESCAPES)[:-1]
        middles = [token for token in tokens if token.kind == "op" and token.text == ".."]
        if len(tokens) < 4 or len(middles) != 1:
            return None
        opening, closing = tokens[0].text, tokens[-1].text
        first = text[tokens[0].end : middles[0].start].strip()
        last = text[middles[0].end : tokens[-1].start].strip()
        if opening not in ("[", "(", "]") or closing not in ("]", ")", "["):
            return None
        return _make(frame, first, last, opening == "[", closing == "]")
    except ExpressionSyntaxError:
        return None


def _make(frame: Frame, first: str, last: str, includes_start: bool, includes_end: bool) -> Range | None:
    if (not first and includes_start) or (not last and includes_end) or not (first or last):
        return None
    low, high = _read_end(frame, first), _read_end(frame, last)
    if (first and low is None) or (last and high is None):
        return None
    if not first or not last:
        sign: Form = "<" if last else ">"
        value = high if last else low
        if includes_start or includes_end:
            return one_sided_range("<=" if last else ">=", value)
        return one_sided_range(sign, value)
    return None if (compare(low, high) or 0) > 0 else Range(low, high, includes_start, includes_end)


def _read_end(frame: Frame, text: str) -> Any:
    if not text:
        return None
    parser = make_parser(text, 0, ())
    node = parser.parse_all()
    name, _, rest = text.partition("(")
    is_call = name.strip() in _CONSTRUCTORS and rest.lstrip().startswith('"')
    return node.run(frame) if node.constant is not None or is_call else None
