"""How much one command may do (semantics §4)."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Final

from bpm.core.context import Limits

WITHOUT_LIMIT: Final = Limits(interrupted=sys.maxsize)
"""For what the engine does by itself, where nobody is who could ask for less: timers, jobs, deliveries."""


@lru_cache(maxsize=8)
def limits_of_callers(rows: int) -> Limits:
    """Return the bounds of a command from outside, which may end, suspend or activate that many rows at once."""
    return Limits(interrupted=rows)
