"""Learning a decision: it is taken once more with placeholders, and what comes of it becomes templates.

What was learned is remembered only if it does, letter for letter, what the decision just taken has done.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from json.encoder import encode_basestring
from typing import Any, Final, NamedTuple

from bpm.core import events as e
from bpm.core.decide import Decision
from bpm.core.state import State
from bpm.core.values import quoted
from bpm.shell.codec import instance_row
from bpm.shell.columns import CHANGING_COLUMNS, HEAD_BEFORE, INSTANCE_COLUMNS, USUAL_COLUMNS
from bpm.shell.held import made_in
from bpm.shell.history import SHAPES, digest_of, payload_text
from bpm.shell.outcome import Done
from bpm.shell.per_object import once_per_object
from bpm.shell.remembering.memory import Memory
from bpm.shell.remembering.rehearsal import Lesson, Rehearsal, rehearse
from bpm.shell.remembering.remembered import EventText, Next, Occasion, Remembered, recall
from bpm.shell.remembering.shape_keys import shape_key
from bpm.shell.remembering.shapes import Shaped
from bpm.shell.remembering.templates import Places, Slots
from bpm.shell.remembering.veil import Unlearnable, veiled_text
from bpm.shell.row_changes import add_to_document
from bpm.shell.sql.document import CHANGED, HISTORY, SENT, STARTED, Document
from bpm.shell.sql.row_template import Mode, RowTemplate
from bpm.shell.sql.row_text import row_text, time_text
from bpm.shell.sql.writing import cells

_log = logging.getLogger(__name__)

MAX_EVENTS: Final = 100
"""Of a decision that is remembered; what does more takes its time elsewhere, and would take much memory."""

_REVISION, _SEQUENCE, _BEFORE, _HEAD = map(veiled_text, ("revision", "sequence", "before", "head"))
_FIGURES: Final = (_REVISION, _SEQUENCE, _BEFORE, _HEAD)
_WIDER: Final[Mapping[Mode, tuple[Mode, ...]]] = {
    "insert": ("insert", "upsert"),
    "update": ("update", "upsert"),
    "usual": ("usual", "update", "upsert"),
}
_AT: Final = {name: position for position, (name, _) in enumerate(INSTANCE_COLUMNS)}


def learn(memory: Memory, lesson: Lesson, state: State, document: Document, outcome: Done) -> None:
    """Learn a decision, and remember it, or that it cannot be.

    Args:
        state: after the decision, its changes not yet settled.
        document: what the decision writes, of this instance alone.
    """
    known: Remembered | None
    try:
        if outcome.events > MAX_EVENTS:
            raise Unlearnable("much happens at once")
        known = lesson.known or _learned(memory, lesson)
        if not _does_the_same(known, lesson.occasion, state, document, outcome):
            raise _Wrong(f"{lesson.question.asked} of {outcome.process_def_id}")
    except Unlearnable as why:
        known = None
        _log.debug("not remembered: %s", why)
    except Exception:  # noqa: BLE001 - whatever is wrong with what is remembered, what was decided is right
        known = None
        memory.wrong += 1
        _log.exception("remembered wrongly, and forgotten")
    memory.keep(lesson.question, known)


class _Wrong(Exception):
    """What is remembered is not what was decided."""


def _learned(memory: Memory, lesson: Lesson) -> Remembered:
    """Return the decision as it is to be remembered.

    Raises:
        Unlearnable: it depends on what is different each time, or has effects that are not remembered.
    """
    veiled = rehearse(lesson)
    state, values = veiled.state, veiled.values
    actor = lesson.command.actor
    document = Document()
    add_to_document(
        document, state, [(event, actor) for event in veiled.events], new=lesson.occasion.before is None
    )
    slots = Slots(len(values) + len(_FIGURES))
    in_payload = _places(veiled, payload=True)
    in_rows = _places(veiled, payload=False)
    events = tuple(_event_text(event, actor, slots, in_payload) for event in veiled.events)
    written = _rows(document, lesson.occasion.before, state)
    rows = tuple(_row_templates(written, slots, in_rows))
    numbers = {value: number for number, value in enumerate(values) if value not in (None, "")}
    outcome = Done.of(state, Decision(events=veiled.events, answer={}))
    return Remembered(
        ids=veiled.made,
        events=events,
        rows=rows,
        # Each time in an object of its own: the times of one place are mostly the same object in a list.
        written=tuple(
            (at, once_per_object(write) if write is time_text else write) for at, write in slots.written()
        ),
        after=_next(memory, state, numbers),
        outcome=outcome,
        business_key=None if outcome.business_key is None else numbers[outcome.business_key],
        answer=_answer(veiled.answer, numbers),
        handlers=tuple((*asked, told) for asked, told in veiled.handlers.items()),
    )


def _places(veiled: Rehearsal, *, payload: bool) -> Places:
    """Return what stands for each value, as it is written in payloads or in rows."""
    places: dict[str, tuple[int, Callable[[Any], str] | None]] = {}
    for number, value in enumerate(veiled.values):
        if isinstance(value, datetime):
            places[value.isoformat()] = (number, time_text)
        elif number in veiled.command_texts:
            raw = payload and not (veiled.business_key and number == veiled.command_texts.start)
            places[f'"{value}"'] = (number, None if raw else quoted if payload else encode_basestring)
        elif number in veiled.texts:
            # The business key is in no payload but that of the start.
            places[f'"{value}"'] = (number, None if payload else encode_basestring)
        elif value:
            places[value] = (number, None)
    if not payload:
        behind = len(veiled.values)
        for number, figure in enumerate(_FIGURES, behind):
            places[f'"{figure}"' if figure in (_REVISION, _SEQUENCE) else figure] = (number, None)
    return Places(places)


def _event_text(event: e.Event, actor: str, slots: Slots, places: Places) -> EventText:
    shape = SHAPES[type(event)]
    token = getattr(event, "token", None) if shape.has_token else None
    node = getattr(event, "node", None) if shape.has_node else None
    payload = slots.template(payload_text(event), places)
    constant = payload.values is None and not shape.erasable
    return EventText(
        name=shape.name,
        begin=row_text([shape.name, shape.category])[:-1] + ",",
        token=None if token is None else slots.slot(*places.meaning[token]),
        middle=f",{row_text([node, actor, event.ends_token])[1:-1]},",
        node=node or "",
        actor=actor,
        payload=payload,
        erasable=shape.erasable,
        digest=digest_of("", payload.text) if constant else "",
        quoted=quoted(payload.text) if constant else "",
    )


def _row_templates(written: Iterable[_Row], slots: Slots, places: Places) -> Iterator[RowTemplate]:
    for part, mode, row in written:
        # What is sent, and messages that are waited for, have something follow after the commit.
        if part in SENT or (part == "subscriptions" and mode == "insert"):
            raise Unlearnable(f"{part} are written")
        texts = _texts(part, mode, _with_figures(row) if part in (STARTED, CHANGED) else row)
        yield RowTemplate(part, mode, {mode: slots.template(text, places) for mode, text in texts.items()})


class _Row(NamedTuple):
    part: str
    mode: Mode
    row: list[Any]


def _rows(document: Document, before: Shaped | None, after: State) -> Iterator[_Row]:
    """Return the rows of a document of one instance, but for its history."""
    for part, _, rows, _ in document.parts():
        for number, row in enumerate(rows) if part != HISTORY else ():
            mode = document.mode_of(part, number)
            if part == CHANGED and before is not None and _changes_usually(before, after):
                mode = "usual"
            yield _Row(part, mode, row)


def _changes_usually(before: Shaped, after: State) -> bool:
    """Return whether what seldom changes of an instance's own row has not changed."""
    one, other = instance_row(before.open().instance, ""), instance_row(after.instance, "")
    return all(one[_AT[name]] == other[_AT[name]] for name in CHANGING_COLUMNS - USUAL_COLUMNS)


def _texts(part: str, mode: Mode, row: list[Any]) -> dict[Mode, str]:
    """Return a row's text for each mode in which it may be written, together with others."""
    wider: tuple[Mode, ...] = _WIDER[mode]
    return {one: row_text(_taken(part, one, row)) for one in wider}


def _taken(part: str, mode: Mode, row: list[Any]) -> list[Any]:
    taken = cells(part, mode)
    return row if taken is None else [row[position] for position in taken]


def _with_figures(row: list[Any]) -> list[Any]:
    row = list(row)
    row[_AT["revision"]], row[_AT["last_sequence"]], row[_AT["head"]] = _REVISION, _SEQUENCE, _HEAD
    if len(row) > HEAD_BEFORE:
        row[HEAD_BEFORE] = _BEFORE
    return row


def _next(memory: Memory, state: State, numbers: Mapping[Any, int]) -> Next | None:
    journal = state.settle()
    found = shape_key(state)
    if found is None:
        if not state.instance.ended:
            raise Unlearnable("the instance has no shape afterwards")
        return None
    key, values = found
    if not all(value in numbers for value in values):
        raise Unlearnable("the instance holds something that is not known beforehand")
    opened = tuple(numbers[row] for row in dict.fromkeys(made_in(journal)))
    return Next(memory.shape(key), tuple(numbers[value] for value in values), opened)


def _answer(answer: dict[str, Any], numbers: Mapping[Any, int]) -> Callable[[list[Any]], dict[str, Any]]:
    """Return what makes the answer: lists of ids, or nothing."""
    if not all(isinstance(ids, list) and all(one in numbers for one in ids) for ids in answer.values()):
        raise Unlearnable("the answer is more than ids")
    places = {name: [numbers[one] for one in ids] for name, ids in answer.items()}
    return lambda values: {name: [values[at] for at in numbers] for name, numbers in places.items()}


def _does_the_same(
    known: Remembered, occasion: Occasion, state: State, document: Document, outcome: Done
) -> bool:
    (history,) = document.rows[HISTORY]
    salts = iter([event[7] for event in history[3] if event[7]])
    recalled = recall(known, occasion, lambda: next(salts, ""))
    told = [
        (row.part, row.mode, {mode: text.fill(recalled.values) for mode, text in row.texts.items()})
        for row in recalled.rows
    ]
    done = [
        (part, mode, _texts(part, mode, row)) for part, mode, row in _rows(document, occasion.before, state)
    ]
    return (
        told == done
        and recalled.history == row_text(history)
        and recalled.outcome == outcome
        and _stands(recalled.after, state, occasion.before)
    )


def _stands(after: Shaped | None, state: State, before: Shaped | None) -> bool:
    """Return whether an instance stands so once what was decided is written."""
    found, instance = shape_key(state), state.instance
    if after is None or found is None:
        return after is None and found is None
    stand = (instance.updated_at, instance.revision + (before is not None), instance.sequence, instance.head)
    return (after.shape.key, after.values) == found and after[2:] == stand
