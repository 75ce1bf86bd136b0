"""Matching of regular expressions with a bound: a backtracking machine that pays for its steps.

The pattern of a model or a variable may be made to explode; here an explosion ends when the budget
of the evaluation is used up, whatever the pattern is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from bpm.core.expressions.errors import EvaluationFailed
from bpm.core.expressions.regex.parser import compile_regex
from bpm.core.expressions.regex.pattern import RegexSyntaxError
from bpm.core.expressions.regex.program import Instruction, Program

Charge = Callable[[int], None]
Slots = tuple[int, ...]
_STEPS_PER_CHARGE: Final = 1_000
_MACHINE_STEPS_PER_STEP: Final = 5


def matches_whole(pattern: str, text: str, charge: Charge) -> bool:
    """Whether the pattern describes the whole text.

    Raises:
        EvaluationFailed: the pattern is wrong, or matching exceeds the budget.
    """
    try:
        program = compile_regex(pattern)
    except RegexSyntaxError as error:
        raise EvaluationFailed(str(error)) from None
    return _Machine(program, text, charge).run(0, whole=True) is not None


def has_match(program: Program, text: str, charge: Charge) -> bool:
    """Whether the pattern describes some part of the text.

    Raises:
        EvaluationFailed: matching exceeds the budget.
    """
    return next(find_all(program, text, charge), None) is not None


def find_all(program: Program, text: str, charge: Charge) -> Iterator[Slots]:
    """Matches from left to right that do not overlap, as slots: start and end of each group.

    Raises:
        EvaluationFailed: matching exceeds the budget.
    """
    machine = _Machine(program, text, charge)
    position = 0
    while position <= len(text):
        slots = machine.run(position)
        if slots is None:
            position += 1
            continue
        yield slots
        position = slots[1] if slots[1] > slots[0] else slots[1] + 1


class _Machine:
    def __init__(self, program: Program, text: str, charge: Charge) -> None:
        self.program = program
        self.text = text
        self.charge = charge
        self.steps = 0

    def run(self, start: int, *, whole: bool = False) -> Slots | None:
        """Slots of the match that begins at ``start``, None when there is none."""
        code, size = self.program.code, len(self.program.code)
        slots: Slots = (start,) + (-1,) * (self.program.slots - 1)
        stack: list[tuple[int, int, int, Slots]] = [(0, start, start, slots)]
        while stack:
            counter, position, last, slots = stack.pop()
            if position != last:
                stack.append((counter, position + (1 if last > position else -1), last, slots))
            while counter < size:
                self.pay(1)
                item = code[counter]
                if item.op == "split":
                    stack.append((counter + item.high, position, position, slots))
                    counter += item.low
                elif item.op == "span":
                    low, high = self.measure(item, position)
                    if low > high:
                        break
                    first, other = (low, high) if item.lazy else (high, low)
                    counter += 1
                    if first != other:
                        stack.append((counter, first + (1 if item.lazy else -1), other, slots))
                    position = first
                else:
                    moved = self.step(item, position, slots)
                    if moved is None:
                        break
                    position, slots, jump = moved
                    counter += jump
            else:
                if not whole or position == len(self.text):
                    self.pay(_STEPS_PER_CHARGE - self.steps)
                    return (slots[0], position, *slots[2:])
        return None

    def pay(self, steps: int) -> None:
        self.steps += steps
        if self.steps >= _STEPS_PER_CHARGE:
            self.charge(self.steps // _MACHINE_STEPS_PER_STEP)
            self.steps = 0

    def measure(self, item: Instruction, position: int) -> tuple[int, int]:
        test, text = item.test, self.text
        limit = len(text) if item.high < 0 else min(len(text), position + item.high)
        end = position
        assert test is not None
        while end < limit and test(text[end]):
            end += 1
        self.pay(end - position)
        return position + item.low, end

    def step(self, item: Instruction, position: int, slots: Slots) -> tuple[int, Slots, int] | None:
        op, text = item.op, self.text
        if op == "test":
            passes = position < len(text) and item.test is not None and item.test(text[position])
            return (position + 1, slots, 1) if passes else None
        if op == "save":
            return position, (*slots[: item.low], position, *slots[item.low + 1 :]), 1
        if op == "jump":
            return position, slots, item.low
        if op == "loop":
            return position, slots, 1 if slots[item.low] == position else item.high
        if op == "same":
            return self.repeat_group(item.low, position, slots)
        return (position, slots, 1) if self.is_edge(op, position) else None

    def is_edge(self, op: str, position: int) -> bool:
        text, lines = self.text, self.program.multiline
        if op == "start":
            return position == 0 or (lines and text[position - 1] == "\n")
        return position == len(text) or (lines and text[position] == "\n")

    def repeat_group(self, group: int, position: int, slots: Slots) -> tuple[int, Slots, int] | None:
        first, last = slots[2 * group], slots[2 * group + 1]
        if first < 0 or last < 0:
            return position, slots, 1
        wanted, found = self.text[first:last], self.text[position : position + last - first]
        self.pay(len(wanted))
        if wanted == found or (self.program.ignores_case and wanted.lower() == found.lower()):
            return position + len(wanted), slots, 1
        return None
