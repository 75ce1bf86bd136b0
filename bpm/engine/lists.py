"""Lists of outcomes under an idempotency key: refusals are kept with the answers, so that they come back too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from bpm.core.errors import Busy, DefinitionInvalid, EngineError, InvariantViolated, PlanInvalid, Problem
from bpm.engine.answers import Answer
from bpm.shell.idempotency import Idempotency, once

ListOutcome = Answer | EngineError
T = TypeVar("T")


def outcomes_once(
    key: Idempotency | None, tenant: str, produce: Callable[[], Sequence[ListOutcome]]
) -> list[ListOutcome]:
    """Return what `produce` returns, or under a used key the first outcomes, refusals included.

    Under a key all is one transaction. What would be another outcome the next time (an instance was busy) or has to be
    frozen is raised then: nothing of the list is done, and the key is not used.

    Raises: as `bpm.shell.idempotency.once`; Busy, InvariantViolated under a key.
    """
    found: Sequence[ListOutcome] = once(
        key, tenant, lambda: _to_keep(key, produce(), _itself), keep=_kept, restore=_again
    )
    return list(found)


def named_once(
    key: Idempotency | None, tenant: str, produce: Callable[[], Sequence[tuple[str, ListOutcome]]]
) -> list[tuple[str, ListOutcome]]:
    """As `outcomes_once`, for outcomes that each stand with the id of what they are about."""
    found: Sequence[tuple[str, ListOutcome]] = once(
        key,
        tenant,
        lambda: _to_keep(key, produce(), _second),
        keep=lambda pairs: [
            [name, kept] for name, kept in zip(_names(pairs), _kept(_parts(pairs)), strict=True)
        ],
        restore=lambda pairs: list(zip(_names(pairs), _again(_parts(pairs)), strict=True)),
    )
    return list(found)


def _to_keep(
    key: Idempotency | None, found: Sequence[T], outcome_of: Callable[[T], ListOutcome]
) -> Sequence[T]:
    """Return outcomes if they may be kept. Raises: the one that may not."""
    for one in found if key is not None else ():
        outcome = outcome_of(one)
        if isinstance(outcome, Busy | InvariantViolated):
            raise outcome
    return found


def _itself(outcome: ListOutcome) -> ListOutcome:
    return outcome


def _second(pair: tuple[str, ListOutcome]) -> ListOutcome:
    return pair[1]


def _names(pairs: Sequence[Sequence[Any]]) -> list[str]:
    return [name for name, _ in pairs]


def _parts(pairs: Sequence[Sequence[Any]]) -> list[Any]:
    return [part for _, part in pairs]


def _kept(outcomes: Sequence[ListOutcome]) -> list[Any]:
    return [_described(one) if isinstance(one, EngineError) else one for one in outcomes]


def _again(kept: Sequence[Any]) -> list[ListOutcome]:
    return [_error(*one) if isinstance(one, list) else one for one in kept]


def _described(error: EngineError) -> list[Any]:
    problems = getattr(error, "problems", ())
    details = {name: _plain(value) for name, value in error.details.items()}
    return [error.code, error.message, details, [list(problem) for problem in problems]]


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool | int | str):
        return value
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else str(value)


def _error(code: str, message: str, details: dict[str, Any], problems: list[list[Any]]) -> EngineError:
    cls = _CLASSES[code]
    if issubclass(cls, DefinitionInvalid | PlanInvalid):
        return cls(tuple(Problem(*one) for one in problems))
    return cls(message, **details)


def _classes(cls: type[EngineError]) -> dict[str, type[EngineError]]:
    found = {cls.code: cls}
    for below in cls.__subclasses__():
        found |= _classes(below)
    return found


_CLASSES = _classes(EngineError)
