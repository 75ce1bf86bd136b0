"""Looking up what a command does."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from bpm.core.commands import Command
from bpm.core.state import State
from bpm.shell.held import Blank, Held
from bpm.shell.remembering.asking import Asked, asked, may_be_remembered
from bpm.shell.remembering.memory import Question, memory, question
from bpm.shell.remembering.remembered import Remembered
from bpm.shell.remembering.shapes import Shaped


class Looked(NamedTuple):
    """What was found.

    Attributes:
        known: what was decided; None where that is not known.
    """

    question: Question
    before: Shaped | None
    asked: Asked
    known: Remembered | None


def look_up(command: Command, held: Held, now: datetime, limit: int) -> Looked | None:
    """Return what is known of a command; None for one that is not remembered at all.

    Args:
        limit: of rows that it may end.
    """
    if not may_be_remembered(command):
        return None
    before = _before(held)
    if before is None and not isinstance(held, Blank):
        return None
    told = asked(command, before)
    if told is None:
        return None
    whole = question(before, told, now, limit)
    known = memory.recall(whole)
    if known is not None and isinstance(held, State):
        memory.note_known(held.instance.definition)
    return Looked(whole, before, told, known)


def _before(held: Held) -> Shaped | None:
    """Return how the instance stands; None for a new one, and where that has no shape or is not worth the effort."""
    if isinstance(held, State):
        return memory.shaped(held) if memory.worth_a_look(held.instance.definition) else None
    return held if isinstance(held, Shaped) else None
