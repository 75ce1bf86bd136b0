"""Regular expressions that models put on texts."""

from __future__ import annotations

from bpm.core.expressions.regex.parser import compile_regex
from bpm.core.expressions.regex.pattern import RegexSyntaxError


def usable_pattern(pattern: str, name: str, unsupported: list[str]) -> str:
    """Return a pattern that can be matched, else nothing, and note the field's loss of it."""
    if not pattern:
        return ""
    try:
        compile_regex(pattern)
    except RegexSyntaxError as error:
        unsupported.append(f"field {name}: {error}")
        return ""
    return pattern
