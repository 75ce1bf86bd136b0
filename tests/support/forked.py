"""A part of a test in a child process of its own, with its own database connection."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable

from django.db import connections

from tests.support.children import wait_for_sessions_to_end

KILLED = -signal.SIGKILL


def run_forked(act: Callable[[], bytes]) -> tuple[int, bytes]:
    """Run `act` in a forked child; return how it ended (negative: by that signal) and what it returned.

    The child shares nothing that matters: this process's connections are closed before. It never returns into the
    test; an exception ends it with 1, and its traceback is the answer. The server has undone what it left when this
    returns.
    """
    connections.close_all()
    reading, writing = os.pipe()
    sessions = f"forked by {os.getpid()}"
    child = os.fork()
    if child == 0:
        os.environ["PGAPPNAME"] = sessions
        os.close(reading)
        status = 1
        try:
            os.write(writing, act())
            status = 0
        except BaseException:  # noqa: BLE001 - whatever it was, the child must not go on as the test
            os.write(writing, traceback.format_exc().encode())
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as answers:
        answer = answers.read()
    _, status = os.waitpid(child, 0)
    wait_for_sessions_to_end(sessions)
    return os.waitstatus_to_exitcode(status), answer
