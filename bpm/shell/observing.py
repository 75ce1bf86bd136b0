"""Tells those who asked what commands did: metrics, traces, logs."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

from bpm.core.errors import EngineError, InvariantViolated
from bpm.shell.outcome import Done, Outcome
from bpm.shell.requests import Request
from bpm.shell.sql.tally import tally
from bpm.shell.starts import Start

P = ParamSpec("P")
T = TypeVar("T")


class Observed(NamedTuple):
    """One command and what became of it.

    Attributes:
        command: name of its class, such as `CompleteUserTask`.
        outcome: `done`, the class of a refusal, or of the error that was raised.
        instance_id: where it was carried out, or was to be where the caller named it.
        status: the instance's status afterwards; None for what was not done.
        token_id: where the command names one.
        refused: whether the caller was told no; else, without `done`, something broke.
    """

    command: str
    outcome: str
    instance_id: str | None = None
    status: str | None = None
    token_id: str | None = None
    refused: bool = False


class Execution(NamedTuple):
    """One call of the engine: a command, a batch of them, or a fetch.

    Attributes:
        commands: in the order of the call; a fetch has one, `FetchAndLock`, even if it leased nothing.
        batch: whether it was given a list.
        seconds: from the call to its return, waiting for locks included.
        statements: that read and wrote instances; idempotency, transactions and what follows a commit aside.
    """

    commands: tuple[Observed, ...]
    batch: bool
    seconds: float
    statements: int


Observer = Callable[[Execution], None]

_observers: list[Observer] = []
_log = logging.getLogger(__name__)


def watch(observer: Observer) -> None:
    """Call `observer` after each execution of this process, in its thread; its errors are logged, not raised."""
    if observer not in _observers:
        _observers.append(observer)


def unwatch(observer: Observer) -> None:
    """Call it no more."""
    if observer in _observers:
        _observers.remove(observer)


def observed(
    describe: Callable[..., tuple[Observed, ...]], *, batch: bool
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Make a function tell the observers of each call; costs nothing while there are none.

    Args:
        describe: takes the function's first argument and its answer or error.
    """

    def wrap(act: Callable[P, T]) -> Callable[P, T]:
        @wraps(act)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            if not _observers:
                return act(*args, **kwargs)
            statements, started = tally.statements, time.perf_counter()
            answer: Any = None
            try:
                answer = act(*args, **kwargs)
            except BaseException as error:
                answer = error
                raise
            finally:
                seconds = time.perf_counter() - started
                commands = describe(args[0] if args else None, answer)
                _tell(Execution(commands, batch, seconds, tally.statements - statements))
            return answer  # type: ignore[no-any-return]

        return call

    return wrap


def _tell(execution: Execution) -> None:
    for observer in _observers:
        try:
            observer(execution)
        except Exception:  # noqa: BLE001 - what is measured must not fail for the measuring
            _log.exception("an observer of commands failed")


def describe_one(request: Request | Start, outcome: Outcome | BaseException) -> tuple[Observed, ...]:
    """Describe a single command."""
    return (_describe(request, outcome),)


def describe_many(
    requests: Sequence[Request | Start], outcomes: Sequence[Outcome] | BaseException
) -> tuple[Observed, ...]:
    """Describe a batch; an error that was raised is every command's."""
    if isinstance(outcomes, BaseException):
        return tuple(_describe(request, outcomes) for request in requests)
    return tuple(map(_describe, requests, outcomes))


def describe_fetch(_worker: object, answer: object) -> tuple[Observed, ...]:
    """Describe a fetch, which concerns any number of instances."""
    if isinstance(answer, BaseException):
        return (Observed("FetchAndLock", type(answer).__name__, refused=_is_refusal(answer)),)
    return (Observed("FetchAndLock", "done"),)


def _describe(request: Request | Start, outcome: Outcome | BaseException) -> Observed:
    if isinstance(request, Start):
        name, instance, token = "StartInstance", request.instance, None
    else:
        name, instance = type(request.command).__name__, request.instance
        token = getattr(request.command, "token", None)
    if isinstance(outcome, Done):
        return Observed(name, "done", outcome.instance_id, outcome.status, token)
    return Observed(name, type(outcome).__name__, instance, None, token, _is_refusal(outcome))


def _is_refusal(error: BaseException) -> bool:
    return isinstance(error, EngineError) and not isinstance(error, InvariantViolated)
