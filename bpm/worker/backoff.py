"""How long to wait before a call is repeated."""

from __future__ import annotations

import random
from collections.abc import Callable

from bpm.worker.config import WorkerConfig


class Backoff:
    """Exponential back-off with full jitter: each pause is uniform between 0 and a bound that doubles.

    Args:
        base_s: Bound of the first pause, seconds.
        cap_s: Largest bound, seconds.
        uniform: Draws from [low, high].
    """

    def __init__(
        self, base_s: float, cap_s: float, uniform: Callable[[float, float], float] = random.uniform
    ) -> None:
        self._base_s = base_s
        self._cap_s = cap_s
        self._uniform = uniform
        self._failures = 0

    @classmethod
    def of(cls, config: WorkerConfig) -> Backoff:
        """Return a fresh one with the worker's settings."""
        return cls(config.backoff_base_ms / 1000, config.backoff_cap_ms / 1000)

    def next_s(self, retry_after_s: float | None = None) -> float:
        """Return the next pause in seconds.

        Args:
            retry_after_s: What the engine asked for; the pause is at least that, with a little jitter on
                top, so that not all workers come back in the same instant.
        """
        # The exponent is bounded because 2.0**1024 overflows.
        bound_s = min(self._cap_s, self._base_s * 2.0 ** min(self._failures, 60))
        self._failures += 1
        if retry_after_s is not None:
            return retry_after_s + self._uniform(0.0, self._base_s)
        return self._uniform(0.0, bound_s)
