"""The parser of both dialects: Pratt's precedence parsing straight to closures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

from bpm.core.expressions.bounds import MAX_HEIGHT, MAX_NESTING
from bpm.core.expressions.errors import ExpressionSyntaxError
from bpm.core.expressions.frame import Frame
from bpm.core.expressions.lexer import Token

Run = Callable[[Frame], Any]


class Node:
    """A compiled piece of an expression.

    ``constant`` and ``name`` tell the parent what it is made of, so that frequent shapes get a
    closure of their own: ``constant`` is a tuple of the one value, ``name`` a root variable.
    """

    __slots__ = ("constant", "height", "name", "parts", "run")

    def __init__(
        self,
        run: Run,
        height: int = 1,
        *,
        constant: tuple[Any] | None = None,
        name: str | None = None,
        parts: tuple[str, list[Run]] | None = None,
    ) -> None:
        """A node of ``height`` closures inside one another; ``parts`` are those of an and/or chain."""
        self.run = run
        self.height = height
        self.constant = constant
        self.name = name
        self.parts = parts


def constant_node(value: Any) -> Node:
    """Node of a literal."""
    return Node(lambda _frame: value, constant=(value,))


ParserT = TypeVar("ParserT", bound="Parser")
Prefix = Callable[[Any, Token], Node]
Infix = tuple[int, Callable[[Any, Node, Token], Node]]


class Parser:
    """State of one parse: the tokens, how far, how deep.

    A dialect gives two tables. ``prefixes`` maps a token's text (``<number>``, ``<string>`` and
    ``<name>`` stand for any of the kind) to what starts an operand, ``infixes`` maps it to the
    binding power and what continues one.
    """

    __slots__ = ("depth", "index", "infixes", "names", "prefixes", "text", "tokens")

    def __init__(
        self,
        text: str,
        tokens: list[Token],
        prefixes: Mapping[str, Prefix],
        infixes: Mapping[str, Infix],
    ) -> None:
        """Begin at the first token; ``tokens`` end with one of kind ``end``."""
        self.text = text
        self.tokens = tokens
        self.prefixes = prefixes
        self.infixes = infixes
        self.index = 0
        self.depth = 0
        self.names: set[str] = set()

    def parse_all(self) -> Node:
        """The expression that all tokens make up."""
        node = self.parse()
        if self.peek().kind != "end":
            self.refuse_token(self.peek())
        return node

    def parse(self, power: int = 0) -> Node:
        """One expression of operators that bind more tightly than ``power``."""
        self.descend()
        token = self.advance()
        node = self.continue_from(self.find_prefix(token)(self, token), power)
        self.depth -= 1
        return node

    def continue_from(self, node: Node, power: int) -> Node:
        """The expression that begins with ``node``, as long as operators bind more tightly."""
        while True:
            following = self.tokens[self.index]
            infix = self.find_infix(following)
            if infix is None or infix[0] <= power:
                return node
            self.index += 1
            node = infix[1](self, node, following)
            if node.height > MAX_HEIGHT:
                self.fail(
                    following, f"The expression has more than {MAX_HEIGHT} operators inside one another"
                )

    def find_prefix(self, token: Token) -> Prefix:
        """What starts an operand with this token."""
        if token.kind in ("string", "number"):
            return self.prefixes[f"<{token.kind}>"]
        found = self.prefixes.get(token.text)
        if found is None and token.kind == "name":
            return self.prefixes["<name>"]
        if found is None:
            self.refuse_token(token)
        return found

    def find_infix(self, token: Token) -> Infix | None:
        """Binding power and continuation of an operator, None when the token is none."""
        return None if token.kind in ("string", "number", "end") else self.infixes.get(token.text)

    def descend(self) -> None:
        """Count one more level of nesting; the caller lowers ``depth`` again."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            self.fail(self.peek(), f"The expression is nested more than {MAX_NESTING} deep")

    def peek(self, ahead: int = 0) -> Token:
        """The next token, or one further ahead; the end token when there is none."""
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    def advance(self) -> Token:
        """Take the next token."""
        token = self.tokens[self.index]
        if token.kind != "end":
            self.index += 1
        return token

    def take(self, text: str) -> bool:
        """Take the next token if it is this operator or keyword."""
        token = self.tokens[self.index]
        if token.text != text or token.kind in ("string", "end"):
            return False
        self.index += 1
        return True

    def expect(self, text: str) -> Token:
        """Take this operator or keyword.

        Raises:
            ExpressionSyntaxError: something else stands there.
        """
        token = self.peek()
        if not self.take(text):
            found = "the expression ends" if token.kind == "end" else f"there is {token.text!r}"
            self.fail(token, f"Expected {text!r}, but {found}")
        return token

    def fail(self, token: Token, reason: str) -> NoReturn:
        """Refuse the text at this token."""
        raise ExpressionSyntaxError(self.text, token.start, reason)

    def refuse_token(self, token: Token) -> NoReturn:
        """Refuse a token that must not stand where it does."""
        if token.kind == "end":
            self.fail(token, "The expression ends too early")
        self.fail(token, f"Unexpected {token.text!r}")


def tallest(*nodes: Node) -> int:
    """Height of a node that evaluates these."""
    return 1 + max((node.height for node in nodes), default=0)
