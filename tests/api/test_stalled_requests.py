"""Half a request holds no thread of the web server for long; what comes slowly is read, and who waits is answered."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from bpm.management.demo.parts import programs
from bpm.models import ProcessInstance
from bpm.project import web_server
from tests.support.children import Children, eventually
from tests.support.commands import ROOT
from tests.support.running_demo import free_port

LIMIT_S = 1
PATIENT_S = 4
"""A limit that no pause of a busy machine between two pieces of a request exceeds."""
THREADS = 2
BODY = b'{"process_def_id": "minimal"}'
START = (
    "POST /api/v1/process-instances HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    "Content-Length: {}\r\n\r\n"
)
FETCH = {"worker_id": "w", "task_types": ["nothing"], "wait_ms": 3_000}


@pytest.fixture
def port(
    transactional_db: None, deployed: None, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[int]:
    """A server with two threads and a limit of a second, or of what the test says."""
    limit = getattr(request, "param", LIMIT_S)
    settings = tmp_path / "server.py"
    settings.write_text(
        "from bpm.project import web_server\n"
        "from bpm.project.web_server import post_fork, when_ready\n"
        f"web_server.STALLED_S = {limit}\n"
    )
    found = free_port()
    web = ["gunicorn", "bpm.project.wsgi:application", "--config", str(settings), "--threads", str(THREADS)]
    with Children(tmp_path) as children:
        children.start(
            "-m", *web, "--bind", f"127.0.0.1:{found}", "--no-control-socket", BPM_OPEN_ON_LOOPBACK="1"
        )
        # A connection has the limit only if it is made when the worker has set it: the socket listens before.
        eventually(lambda: _answers(found), 60, "the server")
        yield found


@pytest.mark.slow
@pytest.mark.sqlite
@pytest.mark.parametrize("half", [START.format(100) + "{", START[:30], START.format(5)])
def test_halves_of_requests_hold_no_thread(port: int, half: str) -> None:
    with ExitStack() as stack:
        held = [stack.enter_context(_connected(port)) for _ in range(2 * THREADS)]
        for one in held:
            one.sendall(half.encode())
        begin = time.monotonic()
        assert _call(port, "/process-instances", json.loads(BODY))[0] == 201
        assert time.monotonic() - begin < 30, "without a limit it is never answered"
        for one in held:
            one.settimeout(60)
            with suppress(ConnectionResetError):
                answer = one.recv(65_536)
                assert answer == b"" or b" 400 " in answer.splitlines()[0], answer
    assert ProcessInstance.objects.count() == 1


@pytest.mark.slow
@pytest.mark.sqlite
@pytest.mark.parametrize("port", [PATIENT_S], indirect=True)
def test_a_request_that_comes_slowly_is_read(port: int) -> None:
    with _connected(port) as slow:
        slow.sendall(START.format(len(BODY)).encode())
        for begin in range(0, len(BODY), 5):
            time.sleep(PATIENT_S / 5)
            slow.sendall(BODY[begin : begin + 5])
        slow.settimeout(60)
        assert b" 201 " in slow.recv(65_536).splitlines()[0]


@pytest.mark.slow
@pytest.mark.sqlite
def test_a_long_poll_waits_longer_than_a_request_may_stall(port: int) -> None:
    begin = time.monotonic()
    assert _call(port, "/external-tasks/fetch-and-lock", FETCH)[0] == 200
    assert time.monotonic() - begin > 2 * LIMIT_S


def test_the_demo_and_an_installation_are_started_with_the_limit(tmp_path: Path) -> None:
    option = f"--config python:{web_server.__name__}"
    (web, *_) = programs(3000, "token", tmp_path)
    assert option in " ".join(web._command)
    assert option in (ROOT / "docs/deployment/run").read_text()
    assert web_server.STALLED_S < 60


def _connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def _call(port: int, path: str, body: Any) -> tuple[int, Any]:
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as server:
        server.request("POST", f"/api/v1{path}", json.dumps(body), {"Content-Type": "application/json"})
        with server.getresponse() as answer:
            return answer.status, json.load(answer)


def _answers(port: int) -> bool:
    with suppress(OSError), closing(HTTPConnection("127.0.0.1", port, timeout=60)) as server:
        server.request("GET", "/api/v1/health")
        return server.getresponse().status == 200
    return False
