"""BPM_TEST_SHAKE=SEED: threads of a test pause at random before their statements, so that other orders come about.

A test of what happens at the same time must hold in each order, also in those that a machine hardly ever takes. The
main thread is left alone. Delays are drawn from the seed and the thread's number; the scheduler still has its say, so
a seed makes a failure likely to come again, not certain.
"""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Final

import pytest

SEED: Final = os.environ.get("BPM_TEST_SHAKE", "")
PAUSES_S: Final = (0.0, 0.01, 0.1)
"""How slow a thread is: its longest pause before a statement. Commands take milliseconds, lock time-outs a second."""

_threads: Final = threading.local()
_numbers: Final = count()


def _pause() -> None:
    if threading.current_thread() is threading.main_thread():
        return
    if not hasattr(_threads, "random"):
        _threads.random = random.Random(f"{SEED} {next(_numbers)}")
        _threads.longest = _threads.random.choice(PAUSES_S)
    time.sleep(_threads.random.random() * _threads.longest)


def _wrapped(execute: Callable[..., Any], *given: Any) -> Any:
    _pause()
    return execute(*given)


@pytest.fixture(autouse=True, scope="session")
def _shaken() -> Iterator[None]:
    if not SEED:
        yield
        return
    from django.db.backends.signals import connection_created

    from bpm.shell.sql.prepared import Session

    def wrap(connection: Any, **_: Any) -> None:
        if _wrapped not in connection.execute_wrappers:
            connection.execute_wrappers.append(_wrapped)

    straight, interval = Session.execute, sys.getswitchinterval()

    def execute(self: Session, *given: Any) -> Any:
        _pause()
        return straight(self, *given)

    connection_created.connect(wrap)
    sys.setswitchinterval(0.0001)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Session, "execute", execute)
        yield
    sys.setswitchinterval(interval)
    connection_created.disconnect(wrap)
