"""Regular expressions of forms, matched within bounds."""

from __future__ import annotations

from bpm.core.expressions.bounds import MAX_STEPS
from bpm.core.expressions.errors import EvaluationFailed
from bpm.core.expressions.regex.machine import has_match
from bpm.core.expressions.regex.parser import compile_regex
from bpm.core.expressions.regex.pattern import RegexSyntaxError


def is_match(pattern: str, text: str) -> bool:
    """Return whether a pattern describes some part of the text; one that cannot be read or takes too long does not."""
    left = [MAX_STEPS]

    def charge(steps: int) -> None:
        left[0] -= steps
        if left[0] < 0:
            raise EvaluationFailed("The match takes too long")

    try:
        return has_match(compile_regex(pattern), text, charge)
    except (RegexSyntaxError, EvaluationFailed):
        return False
