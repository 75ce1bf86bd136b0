"""What is wrong with the text of a timer."""

from __future__ import annotations

from typing import Final

MAX_TEXT_LENGTH: Final = 200


class TimingSyntaxError(ValueError):
    """The text is no date, duration, cycle or cron schedule, or leaves the calendar.

    Attributes:
        text: the text that was read.
        reason: the broken rule, one sentence without a full stop.
    """

    def __init__(self, text: str, reason: str) -> None:
        """Keep text and rule, and say both in the message."""
        super().__init__(f"{reason} ({text!r})")
        self.text = text
        self.reason = reason


def check_length(text: str) -> str:
    """The text without surrounding space.

    Raises:
        TimingSyntaxError: it is too long to be a date, duration or cycle.
    """
    if len(text) > MAX_TEXT_LENGTH:
        raise TimingSyntaxError(
            text[:MAX_TEXT_LENGTH], f"The text is longer than {MAX_TEXT_LENGTH} characters"
        )
    return text.strip()
