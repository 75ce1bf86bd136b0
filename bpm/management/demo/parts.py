"""The demo's programs: web server, cluster, worker."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError

from bpm.jobs.programs import Program

HOST = "127.0.0.1"
WEB_THREADS = 8


def require_free(port: int) -> None:
    """Refuse a port on which somebody listens.

    Raises:
        CommandError: names the port and the way out.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise CommandError(
                f"Port {port} on {HOST} cannot be used ({error.strerror}): stop what listens there, "
                f"or choose another one with --port, e.g. manage.py demo --port {port + 1}"
            ) from None


def programs(port: int, token: str, logs: Path) -> list[Program]:
    """Return the programs in the order in which they start; their output goes to files in `logs`."""
    logs.mkdir(parents=True, exist_ok=True)
    shared = {
        "BPM_DEMO": "1",
        "DJANGO_SETTINGS_MODULE": "bpm.project.settings",
        "PYTHONPATH": str(settings.BASE_DIR),
        "PYTHONUNBUFFERED": "1",
    }
    web = [sys.executable, "-m", "gunicorn", "bpm.project.wsgi:application"]
    web += ["--bind", f"{HOST}:{port}", "--workers", "1", "--threads", str(WEB_THREADS)]
    web += ["--graceful-timeout", "5", "--log-level", "warning", "--no-control-socket"]
    cluster = [sys.executable, "-m", "django", "cluster"]
    worker = [sys.executable, "-m", "bpm.worker", "bpm.worker.examples.payment:PaymentHandler"]
    worker += ["--url", f"http://{HOST}:{port}", "--worker-id", "payment-worker"]
    # A short lease: when the worker is killed, its tasks wait no longer than that for the next one.
    worker += ["--lock-duration-ms", "10000", "--wait-ms", "2000", "--grace-ms", "5000"]
    ledger = {"BPM_TOKEN": token, "BPM_PAYMENT_LEDGER": str(settings.VAR_DIR / "payments.sqlite3")}
    return [
        _program("web", web, shared | {"BPM_OPEN_ON_LOOPBACK": "1"}, logs),
        _program("cluster", cluster, shared, logs),
        _program("worker", worker, shared | ledger, logs),
    ]


def _program(name: str, command: list[str], environment: dict[str, str], logs: Path) -> Program:
    log = logs / f"{name}.log"
    log.write_bytes(b"")
    return Program(name, command, environment=environment, log=log, grace_s=10.0)
