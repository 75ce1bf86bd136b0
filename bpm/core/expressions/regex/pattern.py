"""The text of a regular expression while it is read."""

from __future__ import annotations

from typing import Final, NoReturn

_MAX_INSIDE: Final = 50


class RegexSyntaxError(ValueError):
    """The pattern is no regular expression that is supported."""


class Pattern:
    """A pattern, how far it has been read, and its flags."""

    def __init__(self, pattern: str, flags: str) -> None:
        """Begin at the first character; with the flag ``x``, space outside classes is no part of it."""
        self.pattern = _remove_space(pattern) if "x" in flags and "q" not in flags else pattern
        self.flags = flags
        self.position = 0
        self.depth = 0

    def refuse(self, reason: str) -> NoReturn:
        """Refuse the pattern, which has something wrong."""
        raise RegexSyntaxError(f"The regular expression {self.pattern[:100]!r} has {reason}")

    def descend(self) -> None:
        """Go one level deeper; the caller lowers ``depth`` again."""
        self.depth += 1
        if self.depth > _MAX_INSIDE:
            self.refuse("too many groups inside one another")

    def peek(self) -> str:
        """The next character, empty at the end."""
        return self.pattern[self.position : self.position + 1]

    def take(self, word: str) -> bool:
        """Read these characters if they come next."""
        if not self.pattern.startswith(word, self.position):
            return False
        self.position += len(word)
        return True

    def advance(self, missing: str) -> str:
        """Read the next character; at the end, refuse the pattern for what is missing."""
        character = self.peek()
        if not character:
            self.refuse(missing)
        self.position += 1
        return character


def _remove_space(pattern: str) -> str:
    """The pattern without the space outside its classes."""
    kept: list[str] = []
    depth, escaped = 0, False
    for character in pattern:
        if character in " \t\n\r" and not depth:
            continue
        kept.append(character)
        if not escaped:
            depth += (character == "[") - (character == "]" and depth > 0)
        escaped = character == "\\" and not escaped
    return "".join(kept)
