"""The one loop that repeats a call until the engine has answered it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from bpm.worker.backoff import Backoff
from bpm.worker.errors import EngineUnavailable

_T = TypeVar("_T")

_TOO_SHORT_S = 0.02


def repeat_until_answered(
    call: Callable[[], _T],
    *,
    backoff: Backoff,
    left_s: Callable[[], float],
    wait: Callable[[float], object],
) -> _T:
    """Call until an answer comes: a result, or any error but `EngineUnavailable`.

    The first call is made in any case. A pause that would outlast the time left is cut to nine tenths of it,
    so that one more call is made just before the end.

    Args:
        call: Makes one attempt; all attempts must carry the same Idempotency-Key.
        left_s: Seconds left for further attempts; may be infinite.
        wait: Sleeps the given seconds, or less when there is a reason to look again.

    Raises:
        EngineUnavailable: The last one, when no time is left.
        EngineError: The engine's refusal.
    """
    while True:
        try:
            return call()
        except EngineUnavailable as unavailable:
            remaining_s = left_s()
            if remaining_s < _TOO_SHORT_S:
                raise
            wait(min(backoff.next_s(unavailable.retry_after_s), 0.9 * remaining_s))
            if left_s() <= 0:
                raise
