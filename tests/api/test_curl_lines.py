"""The commands of the Rust engine's README, unchanged, against a real server."""

from __future__ import annotations

import json
import shlex
from typing import Any
from urllib.request import Request, urlopen

import pytest
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from bpm import engine
from tests.api.definitions import APPROVAL, MINIMAL, PAYMENT

START_MINIMAL = """
curl -X POST http://127.0.0.1:3000/api/v1/process-instances \
  -H "Content-Type: application/json" \
  -d '{"process_def_id":"minimal"}'
"""
START_PAYMENT = """
curl -X POST http://127.0.0.1:3000/api/v1/process-instances \
  -H "Content-Type: application/json" \
  -d '{"process_def_id":"payment-flow","variables":{"amount":"100"}}'
"""


def _request(line: str) -> Request:
    """Return what curl would send: `-X`, `-H`, `-d` and `--data-binary` are read as curl reads them."""
    words = iter(shlex.split(line))
    assert next(words) == "curl"
    method, address, data = "GET", "", None
    headers: dict[str, str] = {}
    for word in words:
        if word == "-X":
            method = next(words)
        elif word == "-H":
            name, _, value = next(words).partition(":")
            headers[name] = value.strip()
        elif word in ("-d", "--data-binary"):
            data = next(words).encode()
            headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
            method = "POST"
        else:
            address = word
    return Request(address, data, headers, method=method)


class Shell:
    """Runs curl lines against the test's server."""

    def __init__(self, server: LiveServer) -> None:
        self._address = server.url

    def curl(self, line: str) -> Any:
        """Return the answer's JSON."""
        with urlopen(_request(line.replace("http://127.0.0.1:3000", self._address)), timeout=20) as answer:
            return json.load(answer)


@pytest.fixture
def shell(live_server: LiveServer, settings: Settings) -> Shell:
    """A shell on the machine of an open demo with the built-in definitions."""
    settings.BPM = settings.BPM | {"OPEN_ON_LOOPBACK": True}
    engine.deploy([("minimal.bpmn", MINIMAL), ("payment.bpmn", PAYMENT)])
    return Shell(live_server)


def test_the_minimal_flow(shell: Shell) -> None:
    started = shell.curl(START_MINIMAL)
    shown = shell.curl(f"curl http://127.0.0.1:3000/api/v1/process-instances/{started['instance_id']}")
    assert shown["status"] == "COMPLETED"


def test_the_payment_flow_with_a_worker(shell: Shell) -> None:
    instance = shell.curl(START_PAYMENT)["instance_id"]
    api = "http://127.0.0.1:3000/api/v1"
    listed = shell.curl(f"curl '{api}/tasks?type=external'")["items"]
    (task,) = shell.curl(
        f"curl -X POST {api}/external-tasks/fetch-and-lock -H 'Content-Type: application/json' "
        '-d \'{"worker_id":"worker-1","task_types":["payment"],"max_tasks":1,"lock_duration_ms":30000}\''
    )
    assert task["task_id"] == listed[0]["task_id"]
    assert task["variables"] == {"amount": "100"}
    done = shell.curl(
        f"curl -X POST {api}/external-tasks/{task['task_id']}/complete -H 'Content-Type: application/json' "
        '-d \'{"worker_id":"worker-1","variables":{"status":"PAID"}}\''
    )
    assert done["status"] == "COMPLETED"
    history = shell.curl(f"curl {api}/process-instances/{instance}/history")["items"]
    assert [event["sequence"] for event in history] == list(range(len(history)))
    assert {event["category"] for event in history} >= {"instance", "token", "external"}
    trace = shell.curl(f"curl {api}/process-instances/{instance}/trace")
    assert len(trace["tokens"]) == len(trace["external_tasks"]) == 1


def test_deploying_with_a_raw_body_and_completing_a_user_task(shell: Shell) -> None:
    api = "http://127.0.0.1:3000/api/v1"
    xml = shlex.quote(APPROVAL.decode())
    deployed = shell.curl(f"curl -X POST {api}/process-definitions/deploy --data-binary {xml}")
    assert deployed["definitions"][0]["key"] == "approval"
    instance = shell.curl(START_MINIMAL.replace("minimal", "approval"))["instance_id"]
    (task,) = shell.curl(f"curl '{api}/tasks?type=user'")["items"]
    assert task["instance_id"] == instance
    done = shell.curl(f"curl -X POST {api}/tasks/{task['task_id']}/complete")
    assert done["status"] == "COMPLETED"


def test_a_failing_worker(shell: Shell) -> None:
    shell.curl(START_PAYMENT)
    api = "http://127.0.0.1:3000/api/v1"
    json_body = "-H 'Content-Type: application/json' -d"
    (task,) = shell.curl(
        f"curl -X POST {api}/external-tasks/fetch-and-lock {json_body} "
        '\'{"worker_id":"worker-1","task_types":["payment"]}\''
    )
    failed = shell.curl(
        f"curl -X POST {api}/external-tasks/{task['task_id']}/fail {json_body} "
        '\'{"worker_id":"worker-1","error":"no money"}\''
    )
    assert failed["status"] == "RUNNING"
    assert shell.curl(f"curl '{api}/tasks?type=external'")["items"][0]["retries"] == 2
