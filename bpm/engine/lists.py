"""Lists of outcomes under an idempotency key: refusals are kept with the answers, so that they come back too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bpm.core.errors import DefinitionInvalid, EngineError, PlanInvalid, Problem
from bpm.engine.answers import Answer
from bpm.shell.idempotency import Idempotency, once

ListOutcome = Answer | EngineError


def outcomes_once(
    key: Idempotency | None, tenant: str, produce: Callable[[], Sequence[ListOutcome]]
) -> list[ListOutcome]:
    """Return what `produce` returns, or under a used key the first outcomes, refusals included.

    Raises: as `bpm.shell.idempotency.once`.
    """
    found: Sequence[ListOutcome] = once(key, tenant, produce, keep=_kept, restore=_again)
    return list(found)


def named_once(
    key: Idempotency | None, tenant: str, produce: Callable[[], Sequence[tuple[str, ListOutcome]]]
) -> list[tuple[str, ListOutcome]]:
    """As `outcomes_once`, for outcomes that each stand with the id of what they are about."""
    found: Sequence[tuple[str, ListOutcome]] = once(
        key,
        tenant,
        produce,
        keep=lambda pairs: [
            [name, kept] for name, kept in zip(_names(pairs), _kept(_parts(pairs)), strict=True)
        ],
        restore=lambda pairs: list(zip(_names(pairs), _again(_parts(pairs)), strict=True)),
    )
    return list(found)


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
