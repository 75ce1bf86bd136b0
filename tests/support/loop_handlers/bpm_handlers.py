"""Handlers whose attempts can be counted from outside: each writes a line to the file that BPM_TEST_ATTEMPTS names."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from bpm import handlers


def _note(work: handlers.Work) -> None:
    with Path(os.environ["BPM_TEST_ATTEMPTS"]).open("a") as file:
        file.write(f"{work.job_id} {work.attempt} {os.getpid()}\n")


@handlers.service("test-note")
def note(work: handlers.Work) -> dict[str, Any]:
    _note(work)
    return {"noted": work.attempt}


@handlers.service("test-die")
def die(work: handlers.Work) -> None:
    _note(work)
    os.kill(os.getpid(), signal.SIGKILL)


@handlers.service("test-sleep")
def sleep(work: handlers.Work) -> dict[str, Any]:
    _note(work)
    time.sleep(float(work.variables["seconds"]))
    return {"slept": work.attempt}
