"""What a regular expression is compiled to."""

from __future__ import annotations

from typing import NamedTuple

from bpm.core.expressions.regex.classes import CharacterTest


class Instruction(NamedTuple):
    """One instruction; jumps are relative.

    ``test``: one character passes. ``span``: as many as pass, from ``low`` to ``high``, then the
    rest with each possible number. ``split``: go on at ``low``, if that fails at ``high``.
    ``jump``, ``save`` (position into slot ``low``), ``loop`` (jump ``high`` unless nothing was
    read since slot ``low``), ``start``, ``end``, ``same`` (the text of group ``low`` again).
    """

    op: str
    low: int = 0
    high: int = 0
    lazy: bool = False
    test: CharacterTest | None = None


class Program(NamedTuple):
    """A compiled pattern: instructions, number of slots and of groups."""

    code: tuple[Instruction, ...]
    slots: int
    groups: int
    ignores_case: bool
    multiline: bool
