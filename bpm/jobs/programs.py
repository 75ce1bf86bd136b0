"""Child processes, each with all that it starts in a process group of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from bpm.jobs.parent_death import die_with_parent

LOG_TAIL_BYTES = 4_000


class Program:
    """A command that can be started again.

    Its group gets no signal of a terminal; it ends when `stop` says so, or when this process dies.

    Args:
        name: for messages.
        environment: added to this process's own.
        log: file that its output is appended to; None: this process's own output.
        grace_s: how long it may take to end.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        log: Path | None = None,
        grace_s: float = 15.0,
    ) -> None:
        self.name = name
        self.log = log
        self._command = list(command)
        self._environment = dict(environment or {})
        self._grace_s = grace_s
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0

    @property
    def pid(self) -> int | None:
        """Process id of the command, None before the first start."""
        return self._process.pid if self._process else None

    @property
    def age_s(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self._started_at

    def start(self) -> None:
        """Start it; call this from the main thread, with whose end it ends."""
        self._started_at = time.monotonic()
        output = self.log.open("ab") if self.log else None
        try:
            self._process = subprocess.Popen(  # noqa: S603
                self._command,
                env={**os.environ, **self._environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                process_group=0,
                preexec_fn=die_with_parent,  # noqa: PLW1509
            )
        finally:
            if output:
                output.close()

    def ended(self) -> int | None:
        """Return the exit code, negative for a signal; None while it runs."""
        return self._process.poll() if self._process else None

    def ask_to_end(self) -> None:
        """Send SIGTERM to the command itself."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def stop(self) -> None:
        """End it: politely, then, after the grace time, all of its group."""
        if self._process is None:
            return
        self.ask_to_end()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(self._grace_s)
        self.kill()

    def kill(self) -> None:
        """End everything in its group at once."""
        if self._process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def log_tail(self) -> str:
        """Return the end of its log, empty without one."""
        if self.log is None or not self.log.exists():
            return ""
        return self.log.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace")


def described_end(code: int) -> str:
    """Return an exit code in words."""
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with code {code}"
