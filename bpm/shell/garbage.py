"""The garbage collector, while a batch is at work."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Keep the collector of cycles from running.

    A batch makes tens of thousands of objects that all go at its end by themselves. The collector would meet them
    alive, count them as long-lived, and so go through the whole heap after every few batches, which takes longer than a
    batch. Threads may pause at the same time: whoever found it running starts it again.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
