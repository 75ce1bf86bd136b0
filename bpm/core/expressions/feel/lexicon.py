"""Words of FEEL: the tokens, the keywords, and names of several words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from bpm.core.expressions.errors import ExpressionSyntaxError
from bpm.core.expressions.lexer import NUMBER, read_tokens

_NAME_START: Final = (
    r"?A-Z_a-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C-\u200D\u2070-\u218F"
    r"\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)
_NAME_PART: Final = _NAME_START + r"0-9\u00B7\u0300-\u036F\u203F-\u2040"

PATTERN: Final = re.compile(
    r"[\s\u180E\u200B\uFEFF]+|//[^\n]*|/\*.*?\*/|"
    + NUMBER
    + r'|(?P<string>"(?:[^"\\]|\\.)*")'
    + f"|(?P<name>[{_NAME_START}][{_NAME_PART}]*)"
    + r"|(?P<op>\.\.|\*\*|->|[<>!]=|[-+*/=<>()\[\]{},:.@'])",
    re.DOTALL,
)
ESCAPES: Final = "\"'\\ntruU*"

KEYWORDS: Final = frozenset(
    {"and", "or", "in", "between", "then", "else", "return", "satisfies", "if", "for", "some", "every"}
    | {"function", "true", "false", "null"}
)
"""Words that end a name of several words, unless the name is known."""

Words = tuple[str, ...]


@lru_cache(maxsize=4096)
def split_name(name: str) -> Words:
    """The tokens a name is made of; a name that FEEL cannot read has none."""
    try:
        tokens = read_tokens(PATTERN, name, 0, escapes=ESCAPES)
    except ExpressionSyntaxError:
        return ()
    return tuple(token.text for token in tokens[:-1])


class NameTable:
    """Names that are known to exist, found by the longest sequence of tokens."""

    __slots__ = ("_by_first",)

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Begin with these names."""
        self._by_first: dict[str, list[tuple[Words, str]]] = {}
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        """Make a name known; a name of one word needs no entry."""
        words = split_name(name)
        if len(words) > 1:
            entries = self._by_first.setdefault(words[0], [])
            entries.append((words, name))
            entries.sort(key=lambda entry: -len(entry[0]))

    def candidates(self, first: str) -> list[tuple[Words, str]]:
        """Names that begin with the token, longest first."""
        return self._by_first.get(first, [])
