from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpm.core.expressions.regex.machine import find_all, has_match, matches_whole
from bpm.core.expressions.regex.parser import compile_regex
from bpm.core.expressions.regex.pattern import RegexSyntaxError


def free(_steps: int) -> None:
    return None


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("", "", True),
        ("a|b", "b", True),
        ("(ab|a)(bc|c)", "abc", True),
        ("a{2,3}", "aaaa", False),
        ("(ab){2}", "abab", True),
        ("(ab){0}c", "c", True),
        ("(?:a|b)*?c", "abac", True),
        ("(a*)*b", "aaab", True),
        ("(a|b*)*", "abba", True),
        (r"\d{3}-\d+", "123-4567", True),
        (r"[^\d\s]+", "ab c", False),
        ("[a-z-[aeiou]]+", "xyz", True),
        ("[a-z-[aeiou]]+", "xaz", False),
        ("[a-c-1-4]+", "b-3", True),
        (r"(.)(.)\2\1", "abba", True),
        (r"\p{Lu}\p{Ll}+", "Émile", True),
        (r"\P{L}", "1", True),
        (r"\p{IsGreek}+", "αβγ", True),
        (r"\i\c*", "a-b.c", True),
        ("^a$", "a", True),
        ("a.c", "a\nc", False),
        (r"a\.c", "abc", False),
        (r"[\[\]\\]+", "[\\]", True),
    ],
)
def test_whole_matches(pattern: str, text: str, expected: bool) -> None:
    assert matches_whole(pattern, text, free) is expected


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "expected"),
    [
        ("B", "i", "abc", True),
        ("[A-Z-[OI]]", "i", "o", False),
        ("[^b]", "i", "B", False),
        (r"(a)\1", "i", "aA", True),
        ("a.c", "s", "a\nc", True),
        ("^b$", "m", "a\nb\nc", True),
        ("^b$", "", "a\nb\nc", False),
        ("hello\\ sworld", "x", "hello world", True),
        ("a b[ ]c", "x", "ab c", True),
        ("a.c", "q", "xa.c", True),
        ("a.c", "q", "abc", False),
    ],
)
def test_flags(pattern: str, flags: str, text: str, expected: bool) -> None:
    assert has_match(compile_regex(pattern, flags), text, free) is expected


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "(",
            ")",
            "a)",
            "[",
            "[a",
            "[]",
            "*a",
            "a**",
            "a{2",
            "a{2,1}",
            "a{,2}",
            "\\",
            "{",
            "[b-a]",
            "[a-z-[b]c]",
        ),
        *(r"\y", r"\1", r"(a\1)", "(?=a)", "(?<n>a)", r"\p{Nope}"),
        "((a{99}){99}){99}",
        "(ab){9999}",
        "(a)" * 201,
        "(" * 51 + ")" * 51,
        "[a-[" * 60,
        "a" * 10_001,
    ],
)
def test_patterns_that_are_refused(pattern: str) -> None:
    with pytest.raises(RegexSyntaxError):
        compile_regex(pattern)


def test_unknown_flags_are_refused() -> None:
    with pytest.raises(RegexSyntaxError, match="flags 'p'"):
        compile_regex("a", "p")


_ATOMS = st.sampled_from(["a", "b", "c", ".", "[ab]", "[^a]", r"\d", "^", "$", "(a)", "(b|c)", "(?:ab)"])
_QUANTIFIERS = st.sampled_from(["", "", "", "?", "*", "+", "{2}", "{1,2}", "{0,}", "??", "*?", "+?"])


@st.composite
def patterns(draw: st.DrawFn, depth: int = 2) -> str:
    pieces = []
    for _ in range(draw(st.integers(1, 4))):
        atom = draw(_ATOMS)
        if depth and draw(st.booleans()):
            atom = f"({draw(patterns(depth=depth - 1))})"
        quantifier = "" if atom in "^$" else draw(_QUANTIFIERS)
        pieces.append(atom + quantifier)
    joined = "".join(pieces)
    return f"{joined}|{draw(_ATOMS)}" if draw(st.booleans()) else joined


@given(patterns(), st.text(alphabet="abc1\n", max_size=8))
def test_matches_are_those_of_python(pattern: str, text: str) -> None:
    theirs = re.compile(pattern.replace("$", r"\Z").replace(".", r"[^\n\r]"), re.ASCII)
    assert matches_whole(pattern, text, free) is (theirs.fullmatch(text) is not None)
    ours = next(find_all(compile_regex(pattern), text, free), None)
    found = theirs.search(text)
    assert (None if ours is None else ours[:2]) == (None if found is None else found.span())
