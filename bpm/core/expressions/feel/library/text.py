"""Functions of texts."""

from __future__ import annotations

from typing import Any

from bpm.core.expressions.arithmetic import Number
from bpm.core.expressions.bounds import TEXT_PER_STEP
from bpm.core.expressions.feel.library.registry import feel_function
from bpm.core.expressions.frame import Frame, bound_text
from bpm.core.expressions.regex.machine import find_all, has_match
from bpm.core.expressions.regex.parser import compile_regex
from bpm.core.expressions.regex.pattern import RegexSyntaxError
from bpm.core.expressions.regex.program import Program


@feel_function("substring", "string: string, start position: number, length?: number")
def substring(frame: Frame, text: str, start: Number, length: Number | None) -> str | None:
    """Part of a text from a position counted from 1, or from the end when negative."""
    position = int(start)
    if not 1 <= abs(position) <= len(text) or (length is not None and length < 1):
        return None
    first = position - 1 if position > 0 else len(text) + position
    return text[first:] if length is None else text[first : first + int(length)]


@feel_function("string length", "string: string")
def string_length(frame: Frame, text: str) -> int:
    """Number of characters."""
    return len(text)


@feel_function("upper case", "string: string")
def upper_case(frame: Frame, text: str) -> str:
    """Text in capitals."""
    return bound_text(text.upper())


@feel_function("lower case", "string: string")
def lower_case(frame: Frame, text: str) -> str:
    """Text in small letters."""
    return bound_text(text.lower())


@feel_function("substring before", "string: string, match: string")
def substring_before(frame: Frame, text: str, match: str) -> str:
    """Text before the first match, empty when there is none."""
    before, found, _ = text.partition(match) if match else ("", "", "")
    return before if found else ""


@feel_function("substring after", "string: string, match: string")
def substring_after(frame: Frame, text: str, match: str) -> str:
    """Text after the first match, empty when there is none."""
    return text.partition(match)[2] if match else text


@feel_function("contains", "string: string, match: string")
def contains(frame: Frame, text: str, match: str) -> bool:
    """Whether the match is part of the text."""
    return match in text


@feel_function("starts with", "string: string, match: string")
def starts_with(frame: Frame, text: str, match: str) -> bool:
    """Whether the text begins with the match."""
    return text.startswith(match)


@feel_function("ends with", "string: string, match: string")
def ends_with(frame: Frame, text: str, match: str) -> bool:
    """Whether the text ends with the match."""
    return text.endswith(match)


@feel_function("string join", "list: list, delimiter?: string?")
def string_join(frame: Frame, items: list[Any], delimiter: str | None) -> str | None:
    """Texts of a list joined; null among them is left out."""
    texts = [item for item in items if item is not None]
    if not all(isinstance(item, str) for item in texts):
        return None
    frame.charge(sum(map(len, texts)) // TEXT_PER_STEP)
    return bound_text((delimiter or "").join(texts))


@feel_function("matches", "input: string, pattern: string, flags?: string?")
def matches(frame: Frame, text: str, pattern: str, flags: str | None) -> bool | None:
    """Whether the regular expression describes a part of the text."""
    program = _compile(pattern, flags)
    return None if program is None else has_match(program, text, frame.charge)


@feel_function("replace", "input: string, pattern: string, replacement: string, flags?: string?")
def replace(frame: Frame, text: str, pattern: str, replacement: str, flags: str | None) -> str | None:
    """Text with every match replaced; ``$1`` in the replacement is the first group."""
    program = _compile(pattern, flags)
    if program is None or has_match(program, "", frame.charge):
        return None
    pieces = [replacement] if flags and "q" in flags else _read_replacement(replacement, program.groups)
    if pieces is None:
        return None
    result, position = [], 0
    for slots in find_all(program, text, frame.charge):
        result.append(text[position : slots[0]])
        result += [piece if isinstance(piece, str) else _group(text, slots, piece) for piece in pieces]
        position = slots[1]
    return bound_text("".join([*result, text[position:]]))


@feel_function("split", "string: string, delimiter: string")
def split(frame: Frame, text: str, pattern: str) -> list[str] | None:
    """Pieces of the text between the matches of a regular expression."""
    program = _compile(pattern, None)
    if program is None or has_match(program, "", frame.charge):
        return None
    pieces, position = [], 0
    for slots in find_all(program, text, frame.charge):
        pieces.append(text[position : slots[0]])
        position = slots[1]
    return [*pieces, text[position:]]


def _compile(pattern: str, flags: str | None) -> Program | None:
    try:
        return compile_regex(pattern, flags or "")
    except RegexSyntaxError:
        return None


def _group(text: str, slots: tuple[int, ...], group: int) -> str:
    first, last = slots[2 * group], slots[2 * group + 1]
    return text[first:last] if first >= 0 and last >= 0 else ""


def _read_replacement(replacement: str, groups: int) -> list[str | int] | None:
    """Texts and numbers of groups, None when a sign stands wrong."""
    pieces: list[str | int] = []
    position = 0
    while position < len(replacement):
        character, following = replacement[position], replacement[position + 1 : position + 2]
        position += 1
        if character == "\\":
            if following not in ("\\", "$"):
                return None
            pieces.append(following)
            position += 1
        elif character == "$":
            if not following.isdigit():
                return None
            number, position = _read_group(replacement, position, groups)
            pieces.append(number if number <= groups else "")
        else:
            pieces.append(character)
    return pieces


def _read_group(replacement: str, position: int, groups: int) -> tuple[int, int]:
    number = int(replacement[position])
    position += 1
    while (
        replacement[position : position + 1].isdigit() and number * 10 + int(replacement[position]) <= groups
    ):
        number = number * 10 + int(replacement[position])
        position += 1
    return number, position
