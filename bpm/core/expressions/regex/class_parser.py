r"""Classes in the text of a regular expression: ``[a-z]``, ``\d``, ``\p{L}``."""

from __future__ import annotations

from typing import Final

from bpm.core.expressions.regex import classes
from bpm.core.expressions.regex.classes import CharacterTest
from bpm.core.expressions.regex.pattern import Pattern

_SPECIAL: Final = "\\|.-^?*+{}()[]$"
_CONTROL: Final = {"n": "\n", "r": "\r", "t": "\t"}


def read_class(parser: Pattern) -> CharacterTest:
    """Test of the class whose opening bracket has been read."""
    negated = parser.take("^")
    singles: set[str] = set()
    ranges: list[tuple[str, str]] = []
    tests: list[CharacterTest] = []
    removed: CharacterTest | None = None
    empty = True
    while empty or parser.peek() != "]":
        empty = False
        if parser.take("-["):
            parser.descend()
            removed = read_class(parser)
            parser.depth -= 1
            if parser.peek() != "]":
                parser.refuse("something after the subtraction of a class")
            break
        read_class_item(parser, singles, ranges, tests)
    parser.advance("a '[' without ']'")
    test = classes.union(tests, frozenset(singles), ranges)
    if negated:
        positive = classes.ignore_case(test) if "i" in parser.flags else test
        test = classes.complement(positive)
    return classes.subtract(test, removed) if removed else test


def read_class_item(
    parser: Pattern, singles: set[str], ranges: list[tuple[str, str]], tests: list[CharacterTest]
) -> None:
    """One character, range or escape of a class."""
    missing = "a '[' without ']'"
    character = parser.advance(missing)
    if character == "[":
        parser.refuse("a '[' inside a class")
    if character == "\\":
        if parser.peek() in _CONTROL or (parser.peek() and parser.peek() in _SPECIAL):
            character = _single(parser.advance(missing))
        else:
            tests.append(read_class_escape(parser))
            return
    following = parser.pattern[parser.position + 1 : parser.position + 2]
    if parser.peek() != "-" or following in ("]", "["):
        singles.add(character)
        return
    parser.advance(missing)
    last = parser.advance(missing)
    last = _single(parser.advance(missing)) if last == "\\" else last
    if last < character:
        parser.refuse("a range that ends before it begins")
    ranges.append((character, last))


def _single(escaped: str) -> str:
    return _CONTROL.get(escaped, escaped)


def read_class_escape(parser: Pattern) -> CharacterTest:
    """Test of the escape whose backslash has been read."""
    code = parser.advance("a backslash at its end")
    if code in _CONTROL or code in _SPECIAL:
        wanted = _single(code)
        return lambda character: character == wanted
    if code.lower() in classes.ESCAPES:
        test = classes.ESCAPES[code.lower()]
        return test if code.islower() else classes.complement(test)
    if code in "pP" and parser.take("{"):
        end = parser.pattern.find("}", parser.position)
        found = classes.property_test(parser.pattern[parser.position : max(end, parser.position)])
        if found is not None:
            parser.position = end + 1
            return found if code == "p" else classes.complement(found)
    return parser.refuse(f"the unknown escape '\\{code}'")
