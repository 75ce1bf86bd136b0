"""The parser of FEEL: names of several words, and what binds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bpm.core.expressions.feel.lexicon import KEYWORDS, NameTable
from bpm.core.expressions.feel.library import BUILTINS
from bpm.core.expressions.feel.types import FeelType
from bpm.core.expressions.frame import Frame
from bpm.core.expressions.lexer import Token
from bpm.core.expressions.pratt import Infix, Node, Parser, Prefix

_ENDS_OPERAND = frozenset(
    {")", "]", "}", ",", ":", "=", "!=", "<", ">", "<=", ">=", "*", "/", "**", "..", "."}
)
_LIBRARY_NAMES = NameTable(BUILTINS)


class FeelParser(Parser):
    """A parse of FEEL.

    ``bound`` are the local names of each enclosing binder, innermost last; ``dynamic`` counts the
    enclosing filters, in which a name may be an entry of the filtered item.
    """

    __slots__ = ("bound", "declared", "dynamic", "properties", "range_ends", "tables", "types", "uses")

    def __init__(
        self,
        text: str,
        tokens: list[Token],
        tables: tuple[Mapping[str, Prefix], Mapping[str, Infix]],
        names: Iterable[str] = (),
        types: Mapping[str, FeelType] | None = None,
    ) -> None:
        """Parse ``tokens`` of ``text``; ``names`` and ``types`` are those known to exist."""
        super().__init__(text, tokens, *tables)
        self.declared = frozenset(names)
        self.types = types or {}
        self.tables = [_LIBRARY_NAMES, NameTable(self.declared)]
        self.properties = NameTable(self.declared)
        self.bound: list[set[str]] = []
        self.dynamic = 0
        self.range_ends = 0
        self.uses: set[str] = set()

    @contextmanager
    def binding(self, names: Iterable[str]) -> Iterator[None]:
        """Inside, the names are local."""
        names = set(names)
        self.bound.append(names)
        self.tables.append(NameTable(names))
        yield
        self.tables.pop()
        self.bound.pop()

    def bind_more(self, name: str) -> None:
        """Add a local name to the innermost binder."""
        self.bound[-1].add(name)
        self.tables[-1].add(name)
        self.properties.add(name)

    def is_bound(self, name: str) -> bool:
        """Whether the name is local."""
        return any(name in names for names in self.bound)

    def find_infix(self, token: Token) -> Infix | None:
        """As for every dialect; ``[`` may close a range, ``instance`` needs its ``of``."""
        if token.kind == "op" and token.text == "[" and self.range_ends:
            following = self.peek(1)
            if following.kind == "end" or (
                following.kind != "string" and following.text in _ENDS_OPERAND | KEYWORDS
            ):
                return None
        if token.text == "instance" and self.peek(1).text != "of":
            return None
        return super().find_infix(token)

    def read_name(self, first: Token, tables: list[NameTable]) -> str:
        """The longest name that begins with ``first``: a known one, or all words up to a keyword."""
        count, name = self._join_words(first)
        for table in tables:
            for words, known in table.candidates(first.text):
                if len(words) - 1 >= count and self._follows(words[1:]) and self._is_meant(table, words):
                    count, name = len(words) - 1, known
        self.index += count
        return name

    def _join_words(self, first: Token) -> tuple[int, str]:
        words = [first.text]
        while True:
            token = self.peek(len(words) - 1)
            ends = token.kind == "name" and (
                token.text in KEYWORDS or (token.text == "instance" and self.peek(len(words)).text == "of")
            )
            if (
                token.kind not in ("name", "number")
                or ends
                or not (token.kind == "name" or token.text.isdigit())
            ):
                return len(words) - 1, " ".join(words)
            words.append(token.text)

    def _follows(self, words: tuple[str, ...]) -> bool:
        if self.index + len(words) >= len(self.tokens):
            return False
        return all(
            self.tokens[self.index + step].text == word and self.tokens[self.index + step].kind != "string"
            for step, word in enumerate(words)
        )

    def _is_meant(self, table: NameTable, words: tuple[str, ...]) -> bool:
        """A library name with a keyword in it is one only where it is called."""
        if table is not _LIBRARY_NAMES or not KEYWORDS.intersection(words):
            return True
        return self.peek(len(words) - 1).text == "("

    def name_node(self, name: str) -> Node:
        """Node of a variable, a local name or a library function."""
        called = self.peek().kind == "op" and self.peek().text == "("
        bound = self.is_bound(name)
        builtin = BUILTINS.get(name)
        if called and builtin is not None and not bound and name not in self.declared:
            return Node(lambda _frame: builtin, constant=(builtin,))
        self.uses.add(name)
        if not bound:
            self.names.add(name)
        if not bound and not self.dynamic:
            return Node(lambda frame: read_variable(frame, name), name=name)
        return Node(lambda frame: read_local(frame, name))


def read_variable(frame: Frame, name: str) -> Any:
    """Value of a variable; a library function of the name, or null, when there is none."""
    try:
        return frame.lookup(name)
    except KeyError:
        return BUILTINS.get(name)


def read_local(frame: Frame, name: str) -> Any:
    """Value of a local name, else of the variable."""
    value = frame.locals.get(name, frame)
    return read_variable(frame, name) if value is frame else value
