"""A peer that speaks the engine's HTTP API as scripted: answers, delays, lost answers, refusals."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import urlsplit

PROBE_S = 0.25


@dataclass(frozen=True)
class Request:
    """One request as it came; `at` is monotonic seconds."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes
    at: float = field(default_factory=time.monotonic)

    @property
    def body(self) -> Any:
        return json.loads(self.raw)

    @property
    def key(self) -> str:
        return self.headers["idempotency-key"]

    @property
    def action(self) -> str:
        return self.path.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class Answer:
    """One answer. With `lost` the connection is cut after the request was processed."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    lost: bool = False


Script = Answer | Callable[[Request], Answer]

LOST = Answer(lost=True)


def once(event: threading.Event, answer: Answer) -> Script:
    """The answer, given as soon as the event is set."""

    def wait(request: Request) -> Answer:
        assert event.wait(60)
        return answer

    return wait


def problem(
    status: int, code: str, *, retry_after: str | None = None, violation: str | None = None
) -> Answer:
    """A refusal as the API words it."""
    headers = {"Content-Type": "application/problem+json"}
    if retry_after is not None:
        headers["Retry-After"] = retry_after
    if violation is not None:
        headers["X-Invariant-Violation"] = violation
    body = {
        "type": "about:blank",
        "title": code,
        "status": status,
        "error": f"because of {code}",
        "code": code,
    }
    return Answer(status, body, headers)


LEASE_CONFLICT = problem(409, "ExternalTaskLeaseConflict", violation="ExternalTaskLeaseConflict")


def extension(lease_id: int) -> Answer:
    """An extension as extend-lock answers it."""
    return Answer(body={"lease_id": lease_id, "lock_expires_at": "2026-01-01T00:01:00Z"})


def task(task_id: str = "task-1", task_type: str = "work", **changes: object) -> dict[str, Any]:
    """A task as fetch-and-lock answers it."""
    return {
        "task_id": task_id,
        "task_type": task_type,
        "instance_id": "instance-1",
        "token_id": "token-1",
        "node_id": "node-1",
        "process_def_id": "definition:1",
        "business_key": "order-7",
        "variables": {},
        "retries": 3,
        "lease_id": 1,
        "lock_expires_at": "2026-01-01T00:00:30Z",
        "priority": 0,
        "attempt": 1,
    } | changes


class ScriptedEngine:
    """Answers from a script per action while it lasts, then as an engine with the offered tasks would."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._scripts: dict[str, deque[Script]] = {}
        self._offered: deque[dict[str, Any]] = deque()
        self._changed = threading.Condition()
        self._stopped = False
        engine = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Headers and body leave as one packet; otherwise delayed acknowledgements cost 40 ms each.
            wbufsize = -1
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                engine._serve(self)

            def do_GET(self) -> None:
                engine._serve(self)

            def log_message(self, *args: object) -> None:
                pass

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def script(self, action: str, *answers: Script) -> None:
        """Answer the next requests for this action (`complete`, `fetch-and-lock`, …) so, in order."""
        with self._changed:
            self._scripts.setdefault(action, deque()).extend(answers)

    def unscript(self, action: str) -> None:
        """Forget what is left of the script for this action."""
        with self._changed:
            self._scripts.pop(action, None)

    def offer(self, *tasks: dict[str, Any]) -> None:
        """Let fetches find these tasks."""
        with self._changed:
            self._offered.extend(tasks)

    def calls(self, action: str) -> list[Request]:
        """The requests for this action so far, oldest first."""
        with self._changed:
            return [request for request in self.requests if request.action == action]

    def wait_for(self, action: str, count: int = 1, seconds: float = 60.0) -> list[Request]:
        """The requests for this action as soon as there are `count`."""
        with self._changed:
            came = self._changed.wait_for(
                lambda: sum(request.action == action for request in self.requests) >= count, seconds
            )
        calls = self.calls(action)
        assert came, f"{len(calls)} of {count} calls of {action} within {seconds} s"
        return calls

    def _serve(self, http: BaseHTTPRequestHandler) -> None:
        length = int(http.headers.get("Content-Length") or 0)
        headers = {name.lower(): value for name, value in http.headers.items()}
        request = Request(http.command, urlsplit(http.path).path, headers, http.rfile.read(length))
        with self._changed:
            self.requests.append(request)
            script = self._scripts.get(request.action)
            scripted = script.popleft() if script else None
            self._changed.notify_all()
        answer = scripted(request) if callable(scripted) else scripted
        _send(http, answer or self._unscripted(request))

    def _unscripted(self, request: Request) -> Answer:
        if request.action == "fetch-and-lock":
            return Answer(body=self._fetch(request.body))
        if request.action == "extend-lock":
            extended = {"lease_id": request.body["lease_id"], "lock_expires_at": "2026-01-01T00:01:00Z"}
            return Answer(body=extended)
        return Answer(body={})

    def _fetch(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        end = time.monotonic() + body["wait_ms"] / 1000
        while True:
            with self._changed:
                count = min(body["max_tasks"], len(self._offered))
                if count:
                    return [self._offered.popleft() for _ in range(count)]
                left = end - time.monotonic()
                if left <= 0 or self._stopped:
                    return []
            # An engine looks for new tasks at intervals; it is not woken by them.
            time.sleep(min(PROBE_S, left))


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Be silent about clients that go away; tests make them do so."""
        if not isinstance(sys.exception(), ConnectionError):
            traceback.print_exc()


def _send(http: BaseHTTPRequestHandler, answer: Answer) -> None:
    time.sleep(answer.delay_s)
    if answer.lost:
        http.close_connection = True
        http.connection.shutdown(socket.SHUT_RDWR)
        return
    content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
    http.send_response(answer.status)
    for name, value in {"Content-Type": "application/json", **answer.headers}.items():
        http.send_header(name, value)
    http.send_header("Content-Length", str(len(content)))
    http.end_headers()
    http.wfile.write(content)
