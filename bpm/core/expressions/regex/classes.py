r"""Sets of characters of regular expressions: ``\d``, ``\p{Lu}``, ``[a-z-[aeiou]]``."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Final

CharacterTest = Callable[[str], bool]

_BLOCKS: Final[dict[str, tuple[int, int]]] = {
    "BasicLatin": (0x0000, 0x007F),
    "Latin-1Supplement": (0x0080, 0x00FF),
    "LatinExtended-A": (0x0100, 0x017F),
    "LatinExtended-B": (0x0180, 0x024F),
    "IPAExtensions": (0x0250, 0x02AF),
    "CombiningDiacriticalMarks": (0x0300, 0x036F),
    "Greek": (0x0370, 0x03FF),
    "GreekandCoptic": (0x0370, 0x03FF),
    "Cyrillic": (0x0400, 0x04FF),
    "Armenian": (0x0530, 0x058F),
    "Hebrew": (0x0590, 0x05FF),
    "Arabic": (0x0600, 0x06FF),
    "Devanagari": (0x0900, 0x097F),
    "Thai": (0x0E00, 0x0E7F),
    "GeneralPunctuation": (0x2000, 0x206F),
    "CurrencySymbols": (0x20A0, 0x20CF),
    "Arrows": (0x2190, 0x21FF),
    "MathematicalOperators": (0x2200, 0x22FF),
    "Hiragana": (0x3040, 0x309F),
    "Katakana": (0x30A0, 0x30FF),
    "CJKUnifiedIdeographs": (0x4E00, 0x9FFF),
    "HangulSyllables": (0xAC00, 0xD7A3),
}
_CATEGORIES: Final = frozenset(
    initial + detail
    for initial, details in {
        "L": "ultmo",
        "M": "nce",
        "N": "dlo",
        "P": "cdseifo",
        "Z": "slp",
        "S": "mcko",
        "C": "cfon",
    }.items()
    for detail in ("", *details)
)
_NAME_EXTRA: Final = frozenset("-.·")


def is_digit(character: str) -> bool:
    r"""``\d``: a decimal digit of any script."""
    return unicodedata.category(character) == "Nd"


def is_space(character: str) -> bool:
    r"""``\s``: blank, tab, line feed or carriage return."""
    return character in " \t\n\r"


def is_word(character: str) -> bool:
    r"""``\w``: neither punctuation nor separator nor control."""
    return character == "_" or unicodedata.category(character)[0] not in "PZC"


def starts_name(character: str) -> bool:
    r"""``\i``: may start an XML name."""
    return character in "_:" or character.isalpha()


def continues_name(character: str) -> bool:
    r"""``\c``: may be part of an XML name."""
    return character in "_:" or character in _NAME_EXTRA or character.isalnum()


ESCAPES: Final[dict[str, CharacterTest]] = {
    "d": is_digit,
    "s": is_space,
    "w": is_word,
    "i": starts_name,
    "c": continues_name,
}
"""Class escapes; the capital letter is the complement."""


def property_test(name: str) -> CharacterTest | None:
    r"""Test of ``\p{name}``: a general category or ``Is`` and a block; None when unknown."""
    if name.startswith("Is") and name[2:] in _BLOCKS:
        first, last = _BLOCKS[name[2:]]
        return lambda character: first <= ord(character) <= last
    if name in _CATEGORIES:
        return lambda character: unicodedata.category(character).startswith(name)
    return None


def complement(test: CharacterTest) -> CharacterTest:
    """Every other character."""
    return lambda character: not test(character)


def union(
    tests: list[CharacterTest], singles: frozenset[str], ranges: list[tuple[str, str]]
) -> CharacterTest:
    """Any of the characters, ranges (both ends included) and tests."""

    def test(character: str) -> bool:
        if character in singles:
            return True
        if any(first <= character <= last for first, last in ranges):
            return True
        return any(other(character) for other in tests)

    return test


def subtract(test: CharacterTest, removed: CharacterTest) -> CharacterTest:
    """The characters of one set that are not in the other."""
    return lambda character: test(character) and not removed(character)


def ignore_case(test: CharacterTest) -> CharacterTest:
    """The set with the other case of its letters."""
    return lambda character: test(character) or test(character.lower()[:1]) or test(character.upper()[:1])
