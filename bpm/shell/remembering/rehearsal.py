"""A decision taken once more, behind the veil."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.context import Context
from bpm.core.ids import Id, IdSource
from bpm.core.state import Instance, State
from bpm.shell.definitions import graph_of
from bpm.shell.remembering import asking
from bpm.shell.remembering.memory import Question
from bpm.shell.remembering.remembered import Occasion, Remembered
from bpm.shell.remembering.shapes import Shaped
from bpm.shell.remembering.veil import (
    NOW,
    SEED,
    SEQUENCE,
    Asking,
    Unlearnable,
    decide_veiled,
    veiled_id,
    veiled_text,
    veiled_values,
)
from bpm.shell.remembering.when import end_of_lease


class Lesson(NamedTuple):
    """A decision that was just taken, and is to be learned.

    Attributes:
        occasion: with a source of ids that gives the same ids again.
        known: what is remembered already, and is only compared.
    """

    question: Question
    command: c.Command
    occasion: Occasion
    context: Context
    known: Remembered | None


class Rehearsal(NamedTuple):
    """A decision behind the veil.

    Attributes:
        values: in the order of `Remembered`.
        texts: numbers of the users' texts that the shape leaves open; those of the command are behind `command_texts`.
        business_key: whether the first text of the command is that.
    """

    state: State
    events: list[e.Event]
    answer: dict[str, Any]
    values: list[Any]
    made: int
    texts: range
    command_texts: range
    business_key: bool
    handlers: dict[tuple[str, str], bool]


class _Ids(IdSource):
    __slots__ = ("made",)

    def __init__(self, start: int) -> None:
        super().__init__(NOW, SEED, start)
        self.made: list[Id] = []

    def next(self) -> Id:
        self.made.append(super().next())
        return self.made[-1]


def rehearse(lesson: Lesson) -> Rehearsal:
    """Take a decision behind the veil.

    Raises:
        Unlearnable: it looked at what it must not, or is another one there.
    """
    asked = lesson.occasion.asked
    before, state = _before(lesson)
    own: tuple[Any, ...] = (state.instance.id,) if before is None else before.values
    known = 0 if before is None else before.shape.counts.texts
    texts = _texts(asked, own, known)
    command = asking.veiled(lesson.command, lesson.occasion.before, own, texts)
    again = asking.asked(command, before)
    if again is None or again.key != asked.key:
        raise Unlearnable("the command is another one behind the veil")
    ids, told = _Ids(state.instance.sequence + 2), Asking(lesson.context.has_handler)
    context = replace(lesson.context, now=NOW, ids=ids, has_handler=told)
    starts = isinstance(command, c.StartInstance)
    graph = graph_of(command.definition if starts else state.instance.definition)
    events, answer = decide_veiled(graph, state, command, context)
    expires = None if asked.lock_ms is None else end_of_lease(NOW, asked.lock_ms)
    behind = len(own) + len(ids.made) + 2
    return Rehearsal(
        state,
        events,
        answer,
        values=[*own, *ids.made, NOW, expires, *texts, again.fingerprint],
        made=len(ids.made),
        texts=range(len(own) - known, len(own)),
        command_texts=range(behind, behind + len(texts)),
        business_key=starts and command.business_key is not None,
        handlers=told.told,
    )


def _texts(asked: asking.Asked, own: tuple[Any, ...], known: int) -> list[str]:
    """Return what stands for the texts of the command: for a value that a variable has already, what stands for that.

    Raises:
        Unlearnable: several variables of that name have it.
    """
    texts = [veiled_text(known + number) for number in range(len(asked.texts))]
    for number, same in enumerate(asked.same):
        if len(same) > 1:
            raise Unlearnable("a value is that of several variables")
        if same:
            texts[number] = own[same[0]]
    return texts


def _before(lesson: Lesson) -> tuple[Shaped | None, State]:
    """Return how a veiled instance stands, None for a new one, and its working set."""
    before = lesson.occasion.before
    if before is None:
        return None, State(Instance(id=veiled_id(1), updated_at=NOW), everything=True)
    values = veiled_values(before.shape, lesson.question.times, lesson.occasion.asked.lock_ms)
    veiled = before._replace(values=values, sequence=SEQUENCE, revision=SEQUENCE, head=veiled_text("before"))
    return veiled, veiled.open()
