"""The demo as a child process, and a caller of its API that does not give up."""

from __future__ import annotations

import os
import re
import signal
import socket
import time
import uuid
from contextlib import suppress
from itertools import count, islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from tests.support.children import Children, eventually

READY = "Ctrl-C ends everything."


_FIRST_PORT, _PORTS = 20_000, 12_000
_numbers = count(os.getpid() * 20)


def free_port() -> int:
    """Return a port on which nobody listens now, each time another.

    The system gives it to no client, so that a server that was killed can have it again. Test runs beside one another
    begin at different ones.
    """
    for number in islice(_numbers, _PORTS):
        port = _FIRST_PORT + number % _PORTS
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError("no port is free")


class RunningDemo:
    """`manage.py demo` on the test's database; all it started is ended with the block."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.api = f"http://127.0.0.1:{self.port}/api/v1"
        self._folder = folder
        self._children = Children(folder)

    def __enter__(self) -> Self:
        self.process = self._children.start("manage.py", "demo", "--port", str(self.port), log="demo.log")
        eventually(lambda: READY in self.output() or self.process.poll() is not None, 200, "the demo")
        assert self.process.poll() is None, self.output()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            code = self.process.wait(120)
            assert code == 0 or error is not None, self.output()
        self._children.__exit__(kind, error, trace)

    def output(self) -> str:
        """Return what the demo has said so far."""
        return self._children.log("demo.log").read_text()

    def log(self, program: str) -> str:
        """Return what one of its programs has said so far."""
        return (self._folder / "log" / f"{program}.log").read_text()

    def pids(self) -> dict[str, int]:
        """Return program to process id, as the demo said at its start."""
        return {name: int(pid) for name, pid in re.findall(r"(\w+) \(pid (\d+)\)", self.output())}

    def kill(self, program: str) -> None:
        """Kill a program and wait until the demo has said so."""
        said = self.output().count(f"{program} was ended by SIGKILL")
        # A program that was started this moment has the demo's own name until it is loaded.
        os.kill(eventually(lambda: self.children_of_demo().get(program), what=program), signal.SIGKILL)
        eventually(
            lambda: self.output().count(f"{program} was ended by SIGKILL") > said,
            what=f"{program} to be missed",
        )

    def children_of_demo(self) -> dict[str, int]:
        """Return program to its present process id."""
        found: dict[str, int] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                    command = (entry / "cmdline").read_bytes().decode()
                except OSError:
                    continue
                if parent == self.process.pid:
                    marks = {"gunicorn": "web", "cluster": "cluster", "bpm.worker\0": "worker"}
                    found |= {name: int(entry.name) for mark, name in marks.items() if mark in command}
        return found


class PatientCaller:
    """Calls the API; what gets no answer is sent again under the same key."""

    def __init__(self, api: str, within_s: float = 60.0) -> None:
        self._http = httpx.Client(base_url=api, timeout=20.0, trust_env=False)
        self._within_s = within_s
        self.refusals: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._http.close()

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Return the answer to a write; refusals are kept in `refusals`."""
        return self._call("POST", path, json=body, headers={"Idempotency-Key": str(uuid.uuid4())})

    def get(self, path: str) -> Any:
        """Return the answer to a read."""
        return self._call("GET", path)

    def _call(self, method: str, path: str, **arguments: Any) -> Any:
        deadline = time.monotonic() + self._within_s
        while True:
            try:
                answer = self._http.request(method, path, **arguments)
            except httpx.TransportError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
                continue
            if answer.is_success:
                return answer.json()
            self.refusals.append(f"{method} {path}: {answer.status_code} {answer.text}")
            # A call that got no answer in time may still be under way.
            later = answer.status_code >= 500 or answer.json().get("code") == "IdempotencyInProgress"
            if not later or time.monotonic() > deadline:
                raise AssertionError(self.refusals[-1])
            time.sleep(0.1)
