"""The loop by hand: one pass, or a process of its own in place of a cluster."""

from __future__ import annotations

import signal
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand

from bpm.jobs.limits import handler_threads, job_lease_ms
from bpm.jobs.pool import HandlerPool
from bpm.jobs.tick import process_name, tick_once
from bpm.jobs.ticker import Ticker


class Command(BaseCommand):
    help = "Do what is due: timers, expired leases, jobs and their handlers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        how = parser.add_mutually_exclusive_group(required=True)
        how.add_argument("--once", action="store_true", help="one pass, then print what was done")
        how.add_argument("--forever", action="store_true", help="until SIGTERM or Ctrl-C")
        parser.add_argument("--no-handlers", action="store_true", help="leave handlers to other processes")
        parser.add_argument(
            "--grace",
            type=float,
            default=20.0,
            metavar="S",
            help="seconds to wait for handlers (default %(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["once"]:
            done = tick_once(run_handlers=not options["no_handlers"], grace_s=options["grace"])
            self.stdout.write(" ".join(f"{kind}={count}" for kind, count in done.items()))
            return
        threads = 0 if options["no_handlers"] else handler_threads()
        pool = HandlerPool(process_name(), threads=threads, lease_ms=job_lease_ms())
        _run_until_asked(Ticker(process_name(), pool))
        if not pool.drain(options["grace"]):
            self.stderr.write(f"{pool.running} handlers are left to their leases")


def _run_until_asked(ticker: Ticker) -> None:
    """Tick until SIGTERM or SIGINT.

    A handler of signals interrupts the main thread anywhere, and must not wait for a lock that this thread may hold
    just then. So the loop, whose events have locks, runs in a thread, and the main thread waits at a queue whose `put`
    may interrupt its own `get`.
    """
    over: SimpleQueue[None] = SimpleQueue()

    def stop(_number: int, _frame: FrameType | None) -> None:
        over.put(None)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    with ThreadPoolExecutor(1, thread_name_prefix="bpm-ticker") as threads:
        loop = threads.submit(ticker.run)
        loop.add_done_callback(lambda _: over.put(None))
        over.get()
        ticker.stop()
        loop.result()
