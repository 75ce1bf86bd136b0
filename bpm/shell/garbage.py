"""The garbage collector, while a command is at work."""

from __future__ import annotations

import gc


class CollectionPaused:
    """Keep the collector of cycles from running.

    A command makes some hundred objects, a batch tens of thousands, that all go at its end by themselves. The collector
    would meet them alive, count them as long-lived, and so go through the whole heap after every few batches, which
    takes longer than a batch; of a single command it takes a twentieth. Threads may pause at the same time: whoever
    found it running starts it again.
    """

    __slots__ = ("_running",)

    def __enter__(self) -> None:
        self._running = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._running:
            gc.enable()
