"""The verifier's rules over a history, as the lines that the hosts fail with, and one for tests alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields

from bpm.core import events as e
from bpm.core.invariants.histories import HistoryRules
from bpm.core.state import State
from bpm.core.values import from_text, to_text
from tests.support.folding import Recorded


def history_violations(state: State, history: Sequence[Recorded]) -> Iterator[str]:
    """Yield what is broken in a history, or between it and the state."""
    if state.instance.sequence != len(history) - 1:
        yield f"SequenceGap: the instance is at {state.instance.sequence}, the history at {len(history) - 1}"
    rules = HistoryRules()
    for sequence, event, at in history:
        for broken in rules.check(sequence, event, at):
            yield f"{broken.rule}: {broken.text}"
    yield from _payloads_are_json([recorded.event for recorded in history])


def _payloads_are_json(events: Sequence[e.Event]) -> Iterator[str]:
    for event in events:
        for field in fields(event):
            value = getattr(event, field.name)
            text = to_text(value)
            if to_text(from_text(text)) != text:
                yield f"{type(event).__name__}.{field.name} does not survive as JSON: {value!r}"
