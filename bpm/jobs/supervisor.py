"""Keeping programs alive: what has ended is started again, what hangs is ended first."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence

from bpm.jobs.programs import Program, described_end

RESTARTS = 5
"""Restarts of one program within `RESTARTS_S` seconds; one more and something is wrong that restarting cannot mend."""
RESTARTS_S = 60.0


class ProgramKeepsEnding(Exception):
    """A program ends as often as it is started; the text has the end of its log."""


class Supervisor:
    """Watches programs; call `check` about every second.

    Args:
        say: is told what happened, one line each.
        complaint: return why a running program must be started anew, None if it is well.
    """

    def __init__(
        self,
        programs: Sequence[Program],
        *,
        say: Callable[[str], None],
        complaint: Callable[[Program], str | None] | None = None,
    ) -> None:
        self._programs = list(programs)
        self._say = say
        self._complaint = complaint
        self._restarts: dict[str, deque[float]] = {program.name: deque() for program in programs}

    def start(self) -> None:
        """Start all programs, in order."""
        for program in self._programs:
            program.start()

    def check(self) -> None:
        """Start again what has ended or hangs.

        Raises:
            ProgramKeepsEnding: more than 5 restarts within a minute.
        """
        for program in self._programs:
            code = program.ended()
            if code is not None:
                self._start_again(program, described_end(code))
            elif self._complaint and (why := self._complaint(program)):
                program.kill()
                self._start_again(program, why)

    def stop(self) -> None:
        """End all programs; the first one last, because the others may need it to the end."""
        for program in self._programs[1:]:
            program.ask_to_end()
        for program in reversed(self._programs):
            program.stop()

    def _start_again(self, program: Program, why: str) -> None:
        # What the dead command had started may still be there.
        program.kill()
        recent = self._restarts[program.name]
        recent.append(time.monotonic())
        while recent[0] < recent[-1] - RESTARTS_S:
            recent.popleft()
        if len(recent) > RESTARTS:
            raise ProgramKeepsEnding(f"{program.name} {why}, again and again:\n{program.log_tail()}")
        self._say(f"{program.name} {why}; starting it again")
        time.sleep(0.2 * (len(recent) - 1))
        program.start()
