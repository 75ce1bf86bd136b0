"""Processes that end with their parent, however that ends."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent(number: int = signal.SIGTERM) -> None:
    """Ask the kernel to send this process a signal when the thread that started it ends. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(number))


class ForkedProcesses:
    """Makes all processes that are forked from now on, and those they fork, die with their parents at once."""

    def __init__(self) -> None:
        self._parent = os.getpid()

    def tie(self) -> None:
        """Begin; it cannot be undone in this process."""
        os.register_at_fork(before=self._before, after_in_child=self._in_child)

    def _before(self) -> None:
        self._parent = os.getpid()

    def _in_child(self) -> None:
        die_with_parent(signal.SIGKILL)
        # The parent may have ended before the kernel knew what was asked of it.
        if os.getppid() != self._parent:
            os._exit(1)
