"""Deciding behind a veil: with placeholders for all that a decision may carry along, but not look at.

A decision that looks at a value all the same is not remembered: a placeholder is no JSON text, so reading a variable
fails, and what evaluates an expression that is no constant is refused before it can read anything.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from json import JSONDecodeError
from typing import Any, Final

from bpm.core import events as e
from bpm.core.commands import Command
from bpm.core.context import Context
from bpm.core.elements.registry import ELEMENTS
from bpm.core.errors import EngineError
from bpm.core.expressions import Expression
from bpm.core.graph import Graph
from bpm.core.handling.registry import HANDLERS
from bpm.core.ids import Id
from bpm.core.rest import come_to_rest
from bpm.core.run import Run
from bpm.core.stage import Place
from bpm.core.state import Missing, State
from bpm.shell.remembering.shapes import Shape
from bpm.shell.remembering.when import When, example

# What stands for something is different in each process, so that nobody can write it into a model or a value.
_NONCE: Final = secrets.token_hex(6)

MARK: Final = f"@{_NONCE}:"
"""Begins what stands for texts and numbers."""

NOW: Final = datetime(5000, 1, 1, 0, 0, 0, 100_000 + secrets.randbelow(800_000), UTC)
"""Stands for the command's time; the microseconds see to it that all of a time is in its text."""

SEQUENCE: Final = 7_000_000_000
"""Stands for the number of the newest event; those behind it are counted on from there."""

SEED: Final = secrets.randbits(42)
"""Of the ids that a command makes."""


class Unlearnable(Exception):
    """A decision depends on what is different each time, or has effects that are not remembered."""


def veiled_id(rank: int) -> Id:
    """Return the id that stands for the one of this rank, from 1; those that a command makes are larger."""
    return f"00000000-{_NONCE[:4]}-7000-8{_NONCE[4:7]}-{_NONCE[7:]}{rank:07x}"


def veiled_text(name: str | int) -> str:
    """Return what stands for a text or number. It is no JSON."""
    return f"{MARK}{name}@"


def veiled_values(shape: Shape, times: Sequence[When], lock_ms: int | None) -> tuple[Any, ...]:
    """Return values for what a shape leaves open, in the order that its ids and times have.

    Args:
        times: when each of the times is.
        lock_ms: length of the lease that the command gives.
    """
    counts = shape.counts
    ids = [""] * counts.ids
    for rank, number in enumerate(shape.id_ranks, 1):
        ids[number] = veiled_id(rank)
    end = NOW + timedelta(milliseconds=lock_ms or 0)
    at = [NOW] * counts.times
    for rank, number in enumerate(shape.time_ranks, 1):
        at[number] = example(times[number], rank, NOW, end)
    return (*ids, *at, *(veiled_text(number) for number in range(counts.texts)))


class VeiledRun(Run):
    """A run that evaluates constants only."""

    __slots__ = ()

    def truth(self, condition: Expression, place: Place, bound: Mapping[str, Any] | None = None) -> bool:
        """Evaluate a constant. Raises: Unlearnable where it is none."""
        _require_constant(condition)
        return super().truth(condition, place, bound)

    def evaluate(self, expression: Expression, place: Place, bound: Mapping[str, Any] | None = None) -> Any:
        """Evaluate a constant. Raises: Unlearnable where it is none."""
        _require_constant(expression)
        return super().evaluate(expression, place, bound)


def _require_constant(expression: Expression) -> None:
    if expression.dialect != "literal":
        raise Unlearnable(expression.text)


class Asking:
    """Asks for handlers as a decision does, and remembers what it was told."""

    def __init__(self, has_handler: Callable[[str, str], bool]) -> None:
        self._has_handler = has_handler
        self.told: dict[tuple[str, str], bool] = {}

    def __call__(self, kind: str, name: str) -> bool:
        """Return whether there is a handler."""
        answer = self.told[kind, name] = self._has_handler(kind, name)
        return answer


def decide_veiled(
    graph: Graph, state: State, command: Command, context: Context
) -> tuple[list[e.Event], dict[str, Any]]:
    """Decide as `bpm.core.decide` does; return the events and the answer.

    Raises:
        Unlearnable: it looked at what it must not, is refused, or sends something to other instances.
    """
    run = VeiledRun(graph, state, context, ELEMENTS)
    try:
        answer = HANDLERS[type(command)](run, command)
        come_to_rest(run)
    except (EngineError, Missing, JSONDecodeError, OverflowError) as error:
        raise Unlearnable(str(error)) from error
    if run.outgoing or not run.events:
        raise Unlearnable("something is sent, or nothing happens")
    return run.events, answer
