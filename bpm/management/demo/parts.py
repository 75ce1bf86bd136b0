"""The demo's programs: web server, cluster, worker."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.management.base import CommandError

from bpm.jobs.programs import Program

HOST = "127.0.0.1"
WEB_THREADS = 8
_NO_PROXY: Final = ("no_proxy", "NO_PROXY")
_LOOPBACK: Final = (HOST, "localhost", "::1")


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
        **without_proxy(os.environ),
    }
    web = [sys.executable, "-m", "gunicorn", "bpm.project.wsgi:application"]
    web += [
        "--config",
        "python:bpm.project.web_server",
        "--bind",
        f"{HOST}:{port}",
        "--workers",
        "1",
        "--threads",
        str(WEB_THREADS),
    ]
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


def without_proxy(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables by which a program reaches this machine directly, and other ones as before.

    Programs read them in small or in capital letters, so each gets what was there in both.
    """
    there = ",".join(environment.get(name, "") for name in _NO_PROXY).split(",")
    hosts = dict.fromkeys(host for name in (*there, *_LOOPBACK) if (host := name.strip()))
    return dict.fromkeys(_NO_PROXY, ",".join(hosts))


def _program(name: str, command: list[str], environment: dict[str, str], logs: Path) -> Program:
    log = logs / f"{name}.log"
    log.write_bytes(b"")
    return Program(name, command, environment=environment, log=log, grace_s=10.0)
