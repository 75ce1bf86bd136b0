"""The first SIGTERM or SIGINT asks, the second ends the process."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def first_signal_calls(notify: Callable[[str], None]) -> Iterator[None]:
    """Call `notify` with the signal's name at the first signal; later ones act as the system does by default.

    Restores the former handlers on leaving. Outside the main thread, where Python allows no signal handlers,
    it does nothing.

    Args:
        notify: Must take no lock, since it may interrupt any code of the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, _frame: FrameType | None) -> None:
        for each in _SIGNALS:
            signal.signal(each, signal.SIG_DFL)
        notify(signal.Signals(number).name)

    former = {each: signal.signal(each, handle) for each in _SIGNALS}
    try:
        yield
    finally:
        for each, handler in former.items():
            signal.signal(each, handler)
