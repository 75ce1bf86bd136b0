"""The cluster as a whole: no process of it outlives its parent, and with --watch it is kept alive."""

from __future__ import annotations

import signal
import sys
import time
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, close_old_connections

from bpm import engine
from bpm.jobs.lateness import LOOP_STUCK_S, QUEUE_LATE_S
from bpm.jobs.parent_death import ForkedProcesses
from bpm.jobs.programs import Program
from bpm.jobs.supervisor import ProgramKeepsEnding, Supervisor


class Command(BaseCommand):
    help = "Run the cluster: django-q2's workers, each with a ticker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--watch", action="store_true", help="start it anew when it ends, or gives no sign of life"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["watch"]:
            self._watch()
            return
        from django_q.cluster import Cluster

        ForkedProcesses().tie()
        Cluster().start()

    def _watch(self) -> None:
        program = Program("cluster", [sys.executable, sys.argv[0], "cluster"], grace_s=40.0)
        supervisor = Supervisor(
            [program], say=self.stderr.write, complaint=lambda program: complaint(program.age_s)
        )
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _leave)
        try:
            supervisor.start()
            while True:
                time.sleep(2)
                supervisor.check()
        except ProgramKeepsEnding as error:
            raise CommandError(str(error)) from None
        finally:
            supervisor.stop()


def complaint(age_s: float) -> str | None:
    """Return why the cluster seems stuck, None if it is well or the database cannot be asked.

    Args:
        age_s: seconds since it was started; it gets as long for its first sign of life as between two.
    """
    close_old_connections()
    try:
        life = engine.signs_of_life()
    except DatabaseError:
        return None
    if age_s > LOOP_STUCK_S and (life.loop_age_s is None or life.loop_age_s > LOOP_STUCK_S):
        return f"has not ticked for {LOOP_STUCK_S:.0f} s"
    if age_s > QUEUE_LATE_S and (life.queue_age_s is None or life.queue_age_s > QUEUE_LATE_S):
        return f"has not let a task through its queue for {QUEUE_LATE_S:.0f} s"
    return None


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)
