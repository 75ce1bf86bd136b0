r"""Regular expressions of XPath, compiled to a program for a machine that counts its steps.

Supported: classes with ranges, negation and subtraction, ``\d \s \w \i \c`` and their complements,
``\p{…}``, groups (``(?:…)`` too), alternation, ``? * + {n,m}`` greedy and lazy, ``^ $``,
back-references, flags ``s m i x q``. Look-around and possessive quantifiers are refused.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from bpm.core.expressions.regex import classes
from bpm.core.expressions.regex.class_parser import read_class, read_class_escape
from bpm.core.expressions.regex.classes import CharacterTest
from bpm.core.expressions.regex.pattern import Pattern, RegexSyntaxError
from bpm.core.expressions.regex.program import Instruction, Program

MAX_PATTERN_LENGTH: Final = 10_000
MAX_PROGRAM_LENGTH: Final = 10_000
MAX_GROUPS: Final = 200
_UNBOUNDED: Final = -1


@lru_cache(maxsize=256)
def compile_regex(pattern: str, flags: str = "") -> Program:
    """Compile a pattern.

    Raises:
        RegexSyntaxError: pattern or flags are wrong, unsupported or too long.
    """
    if len(pattern) > MAX_PATTERN_LENGTH:
        raise RegexSyntaxError(f"The regular expression is longer than {MAX_PATTERN_LENGTH} characters")
    if set(flags) - set("smixq"):
        raise RegexSyntaxError(f"The flags {flags!r} of the regular expression are unknown")
    parser = _PatternParser(pattern, flags)
    code = parser.read_alternatives()
    if parser.position < len(parser.pattern):
        parser.refuse("a ')' without '('")
    groups = parser.groups
    if groups + parser.loops > MAX_GROUPS:
        parser.refuse("too many groups")
    slots = 2 * (groups + 1) + parser.loops
    placed = [_shift(item, 2 * (groups + 1)) for item in code]
    return Program(tuple(placed), slots, groups, "i" in flags, "m" in flags)


def _shift(item: Instruction, first_loop_slot: int) -> Instruction:
    if item.op == "loop" or (item.op == "save" and item.lazy):
        return item._replace(low=item.low + first_loop_slot)
    return item


class _PatternParser(Pattern):
    def __init__(self, pattern: str, flags: str) -> None:
        super().__init__(pattern, flags)
        self.groups = 0
        self.loops = 0
        self.closed: set[int] = set()

    def bound(self, code: list[Instruction]) -> list[Instruction]:
        if len(code) > MAX_PROGRAM_LENGTH:
            self.refuse("repetitions that are too many")
        return code

    def read_alternatives(self) -> list[Instruction]:
        if "q" in self.flags:
            self.position = len(self.pattern)
            return [self.character(item) for item in self.pattern]
        branches = [self.read_branch()]
        while self.take("|"):
            branches.append(self.read_branch())
        code = branches.pop()
        while branches:
            first = branches.pop()
            code = [
                Instruction("split", 1, len(first) + 2),
                *first,
                Instruction("jump", len(code) + 1),
                *code,
            ]
        return self.bound(code)

    def read_branch(self) -> list[Instruction]:
        code: list[Instruction] = []
        while self.position < len(self.pattern) and self.peek() not in "|)":
            code += self.read_quantified(self.read_atom())
        return self.bound(code)

    def read_atom(self) -> list[Instruction]:
        character = self.advance("no atom")
        if character == "(":
            return self.read_group()
        if character == "^":
            return [Instruction("start")]
        if character == "$":
            return [Instruction("end")]
        if character == ".":
            everything = "s" in self.flags
            return [Instruction("test", test=lambda item: everything or item not in "\n\r")]
        if character == "[":
            return [self.testing(read_class(self))]
        if character == "\\":
            return self.read_escape()
        if character in "?*+{}]":
            self.refuse(f"a {character!r} with nothing before it")
        return [self.character(character)]

    def character(self, character: str) -> Instruction:
        return self.testing(lambda item: item == character)

    def testing(self, test: CharacterTest) -> Instruction:
        return Instruction("test", test=classes.ignore_case(test) if "i" in self.flags else test)

    def read_group(self) -> list[Instruction]:
        self.descend()
        captures = not self.take("?:")
        if captures and self.peek() == "?":
            self.refuse("a group that is not supported")
        number = 0
        if captures:
            self.groups += 1
            number = self.groups
        code = self.read_alternatives()
        if not self.take(")"):
            self.refuse("a '(' without ')'")
        self.depth -= 1
        self.closed.add(number)
        if not captures:
            return code
        return [Instruction("save", 2 * number), *code, Instruction("save", 2 * number + 1)]

    def read_escape(self) -> list[Instruction]:
        if self.peek().isdigit() and self.peek() != "0":
            number = int(self.advance(""))
            while self.peek().isdigit() and number * 10 + int(self.peek()) <= self.groups:
                number = number * 10 + int(self.advance(""))
            if number not in self.closed:
                self.refuse(f"a reference to the group {number}, which is not before it")
            return [Instruction("same", number)]
        return [self.testing(read_class_escape(self))]

    def read_quantified(self, atom: list[Instruction]) -> list[Instruction]:
        mark = self.peek()
        if not mark or mark not in "?*+{":
            return atom
        low, high = self.read_bounds()
        lazy = self.take("?")
        if self.peek() and self.peek() in "?*+{":
            self.refuse("a quantifier after a quantifier")
        if len(atom) == 1 and atom[0].op == "test":
            return [Instruction("span", low, high, lazy, atom[0].test)]
        return self.repeat(atom, low, high, lazy)

    def read_bounds(self) -> tuple[int, int]:
        mark = self.advance("")
        if mark != "{":
            return {"?": (0, 1), "*": (0, _UNBOUNDED), "+": (1, _UNBOUNDED)}[mark]
        end = self.pattern.find("}", self.position)
        words = self.pattern[self.position : end].split(",")
        if (
            end < 0
            or len(words) > 2
            or not words[0].isdecimal()
            or len(self.pattern[self.position : end]) > 12
        ):
            self.refuse("a wrong quantifier")
        self.position = end + 1
        low = int(words[0])
        if len(words) == 1:
            return low, low
        if words[1] and (not words[1].isdecimal() or int(words[1]) < low):
            self.refuse("a wrong quantifier")
        return low, int(words[1]) if words[1] else _UNBOUNDED

    def repeat(self, atom: list[Instruction], low: int, high: int, lazy: bool) -> list[Instruction]:
        if len(atom) * max(low, high, 1) > MAX_PROGRAM_LENGTH:
            self.refuse("repetitions that are too many")
        code = atom * low
        if high == _UNBOUNDED:
            slot = self.loops
            self.loops += 1
            size = len(atom) + 3
            enter = Instruction("split", size, 1) if lazy else Instruction("split", 1, size)
            save = Instruction("save", slot, lazy=True)
            return self.bound([*code, enter, save, *atom, Instruction("loop", slot, -len(atom) - 2)])
        optional: list[Instruction] = []
        for _ in range(high - low):
            size = len(atom) + len(optional) + 1
            enter = Instruction("split", size, 1) if lazy else Instruction("split", 1, size)
            optional = [enter, *atom, *optional]
        return self.bound([*code, *optional])
