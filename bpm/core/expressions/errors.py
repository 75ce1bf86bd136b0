"""What can go wrong with an expression: before it runs, and while it runs."""

from __future__ import annotations

_SHOWN_CHARACTERS = 200


class ExpressionSyntaxError(ValueError):
    """The text is no expression of its dialect, or uses something the dialect forbids.

    Attributes:
        text: the whole text that was compiled.
        position: 0-based character offset into ``text``, where the rule is broken.
        reason: the broken rule, one sentence without a full stop.
    """

    def __init__(self, text: str, position: int, reason: str) -> None:
        """Keep the place and the rule, and say both in the message."""
        super().__init__(f"{reason} (character {position + 1} of {_shorten(text)!r})")
        self.text = text
        self.position = position
        self.reason = reason


class EvaluationFailed(Exception):
    """A compiled expression has no result for the values it met, or exceeded a bound.

    Attributes:
        reason: what was wrong, one sentence without a full stop.
        expression: the text of the expression; empty until the evaluation is left.
    """

    def __init__(self, reason: str, expression: str = "") -> None:
        """Keep the reason; the expression is filled in by the one who evaluates."""
        super().__init__(reason)
        self.reason = reason
        self.expression = expression

    def __str__(self) -> str:
        """Reason and, when known, the expression it is about."""
        return f"{self.reason} in {_shorten(self.expression)!r}" if self.expression else self.reason


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
