"""Processor time of a piece of work, the same whatever ran before it and whatever else the machine does."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Spent:
    """Seconds of this process's own work; known when the block has ended."""

    seconds = 0.0


@contextmanager
def processor_time() -> Iterator[Spent]:
    """Measure a block, without collections of garbage: they grow with what all tests before have left."""
    spent = Spent()
    gc.collect()
    gc.disable()
    begun = time.process_time()
    try:
        yield spent
    finally:
        spent.seconds = time.process_time() - begun
        gc.enable()
