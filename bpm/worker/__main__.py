"""Command line: `python -m bpm.worker module:Handler … --url http://host:port`.

Exit status: 0 after a clean drain, 1 when the engine refuses the worker or handlers had to be abandoned,
2 for a wrong command line.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence

from bpm.worker.client import EngineClient
from bpm.worker.config import WorkerConfig, new_worker_id
from bpm.worker.errors import EngineError
from bpm.worker.loading import HandlerNotFound, load_handler
from bpm.worker.worker import Worker

_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a worker until it is stopped; returns the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    logging.basicConfig(
        level=options.log_level, stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s"
    )
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        handlers = [load_handler(name) for name in options.handlers]
    except HandlerNotFound as error:
        parser.error(str(error))
    try:
        client = EngineClient(options.url, options.token, options.tenant)
        worker = Worker(client, handlers, _config(options))
    except (ValueError, TypeError) as error:
        parser.error(str(error))
    with client:
        try:
            return 0 if worker.run() else 1
        except EngineError as error:
            print(f"bpm.worker: {options.url}: {error}", file=sys.stderr)
            return 1


def _config(options: argparse.Namespace) -> WorkerConfig:
    return WorkerConfig(
        worker_id=options.worker_id,
        max_tasks=options.max_tasks,
        concurrency=options.concurrency,
        lock_duration_ms=options.lock_duration_ms,
        wait_ms=options.wait_ms,
        poll_interval_ms=options.poll_interval_ms,
        grace_ms=options.grace_ms,
        max_run_ms=options.max_run_ms,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bpm.worker", description="Runs handlers for external tasks of a bpm engine."
    )
    defaults = WorkerConfig()
    environment = os.environ
    add = parser.add_argument
    add("handlers", nargs="+", metavar="module:Handler", help="class without arguments, or handler object")
    url = environment.get("BPM_URL", "http://127.0.0.1:8000")
    add("--url", default=url, help="engine, default $BPM_URL, else http://127.0.0.1:8000")
    add(
        "--token",
        default=environment.get("BPM_TOKEN"),
        help="default $BPM_TOKEN, which no process list shows",
    )
    add("--tenant", default=environment.get("BPM_TENANT"), help="default $BPM_TENANT")
    add("--worker-id", default=new_worker_id(), help="default host name, process id and random digits")
    for name in ("concurrency", "max_tasks", "lock_duration_ms", "wait_ms", "poll_interval_ms", "grace_ms"):
        flag = "--" + name.replace("_", "-")
        add(flag, type=int, default=getattr(defaults, name), metavar="N", help="default %(default)s")
    add("--max-run-ms", type=int, default=None, metavar="N", help="default: no limit")
    add("--log-level", choices=_LEVELS, default="INFO", help="default INFO")
    return parser


if __name__ == "__main__":
    sys.exit(main())
