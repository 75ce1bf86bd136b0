"""Commands at a steady rate, beside which pages are measured. Run as a process of its own, ended by SIGTERM."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Iterator
from types import FrameType
from typing import Final
from uuid import UUID

import django

_KEY: Final = "seed-order"
_BEHIND_S: Final = 1.0


def main(rate: float) -> None:
    """Print a line, and give so many commands a second until the process is asked to end; then print how it went."""
    django.setup()
    from bpm.bench.stopwatch import percentile_ms

    stopping = False

    def stop(_number: int, _frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True

    signal.signal(signal.SIGTERM, stop)
    commands = _commands()
    next(commands)
    sys.stdout.write("running\n")
    sys.stdout.flush()
    took: list[float] = []
    began = due = time.monotonic()
    while not stopping:
        time.sleep(max(0.0, due - time.monotonic()))
        begun = time.perf_counter()
        next(commands)
        took.append(time.perf_counter() - begun)
        # What could not be given in time is not made up for in a burst.
        due = max(due + 1 / rate, time.monotonic() - _BEHIND_S)
    seconds = time.monotonic() - began
    report = {"number": len(took), "per_s": len(took) / seconds, "median_ms": percentile_ms(took, 0.5)}
    sys.stdout.write(json.dumps({**report, "p95_ms": percentile_ms(took, 0.95)}) + "\n")


def _commands() -> Iterator[None]:
    """Start an instance, complete two tasks, cancel it; and again. A step is one command and at most one look-up."""
    from bpm import engine
    from bpm.models import UserTask
    from bpm.queries.constant import Constant

    while True:
        instance = str(engine.start(_KEY, variables={"n": 1}, actor="load")["instance_id"])
        yield
        tasks = UserTask.objects.filter(instance=UUID(instance), status=Constant("OPEN"))
        for task in list(tasks.values_list("id", flat=True)):
            engine.complete_task(str(task), variables={"seen": True}, actor="load")
            yield
        engine.cancel(instance, actor="load")
        yield


if __name__ == "__main__":
    main(float(sys.argv[1]))
