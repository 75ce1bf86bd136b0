"""The demo: web server, cluster and worker on this machine, with processes that run."""

from __future__ import annotations

import logging
import signal
import time
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from bpm.jobs.programs import Program
from bpm.jobs.supervisor import ProgramKeepsEnding, Supervisor
from bpm.management.demo.alone import Place, alone
from bpm.management.demo.parts import HOST, programs, require_free
from bpm.management.demo.preparation import end_token, prepare
from bpm.management.demo.texts import outcome, trace_lines, welcome, what_to_try
from bpm.management.demo.visitor import DemoFailed, Visitor

WEB_WITHIN_S = 60.0
PAYMENT_WITHIN_S = 60.0


class Command(BaseCommand):
    help = (
        "Set up and run everything on this machine: web server, cluster, a payment worker, example processes."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--port", type=int, default=3000, help="of the web server on 127.0.0.1 (default %(default)s)"
        )
        parser.add_argument(
            "--once", action="store_true", help="leave as soon as the payment has ended, with its trace"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not getattr(settings, "DEMO", False):
            raise CommandError("The demo opens the API to this machine; it runs with BPM_DEMO=1 only.")
        port: int = options["port"]
        require_free(port)
        logging.getLogger("httpx").setLevel(logging.WARNING)
        with alone(settings.VAR_DIR, port) as place:
            self._run(place, port, once=options["once"])

    def _run(self, place: Place, port: int, *, once: bool) -> None:
        place.note(port, place.left)
        self._say("Setting up: tables, definitions, user …")
        prepared = prepare(place.left)
        place.note(port, prepared.digest)
        # The programs open their own connections; an idle one here would only be in the way.
        connections.close_all()
        parts = programs(port, prepared.token, settings.VAR_DIR / "log")
        supervisor = Supervisor(parts, say=self._say)
        self._leave_on_signals()
        url = f"http://{HOST}:{port}"
        try:
            self._say("Starting: web server, cluster, worker …")
            supervisor.start()
            with Visitor(url, supervisor.check) as visitor:
                visitor.wait_for_web(WEB_WITHIN_S)
                self._lines(welcome(url, prepared, parts, str(settings.VAR_DIR)))
                order = self._show(visitor, once=once)
                if not once:
                    self._lines(what_to_try(url, order, parts))
                    self._stay(supervisor)
        except (ProgramKeepsEnding, DemoFailed) as error:
            raise CommandError(f"{error}\n{_tails(parts)}") from None
        except _Leaving:
            self._say("Ending …")
        finally:
            _ignore_signals()
            supervisor.stop()
            end_token(prepared.digest)

    def _show(self, visitor: Visitor, *, once: bool) -> str:
        """Start one instance of each example, show what becomes of them; return the order's id."""
        stamp = f"demo-{int(time.time())}"
        minimal = visitor.start("minimal", stamp, {})
        payment = visitor.start("payment-flow", stamp, {"amount": 4200})
        order = visitor.start("order-process", stamp, {"amount": 99, "customer": "Ada"})
        self._say(outcome("minimal", visitor.wait_for_end(minimal, PAYMENT_WITHIN_S)))
        paid = visitor.wait_for_end(payment, PAYMENT_WITHIN_S)
        self._say(outcome("payment-flow", paid))
        self._say(outcome("order-process", visitor.instance(order)))
        if paid["status"] != "COMPLETED":
            raise DemoFailed(f"The payment ended {paid['status']} instead of COMPLETED.")
        if once:
            self._say(f"\nTrace of payment-flow {payment}, variables {paid['variables']}:")
            self._lines(trace_lines(visitor.trace(payment)))
        return order

    def _stay(self, supervisor: Supervisor) -> None:
        while True:
            time.sleep(0.5)
            supervisor.check()

    def _leave_on_signals(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, _leave)

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def _lines(self, lines: Any) -> None:
        for line in lines:
            self._say(line)


class _Leaving(Exception):
    """Somebody asked the demo to end."""


def _leave(number: int, _frame: FrameType | None) -> None:
    raise _Leaving


def _ignore_signals() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def _tails(parts: list[Program]) -> str:
    return "\n".join(f"--- end of {part.log}\n{part.log_tail()}" for part in parts if part.log_tail())
