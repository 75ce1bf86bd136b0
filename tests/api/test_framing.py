"""Bodies in chunks: the framework would read none of them, so no call may be carried out without its body."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, RequestFactory

from api.tasks import Tasks
from bpm.models import HistoryEvent, ProcessInstance
from tests.api.caller import Api
from tests.support.children import Children, eventually
from tests.support.running_demo import free_port

BODY = b'{"process_def_id": "minimal", "business_key": "kept"}'
PLACES = {("Transfer-Encoding", "header")}


@pytest.mark.parametrize("coding", ["chunked", "gzip, chunked", "identity"])
@pytest.mark.parametrize("path", ["/process-instances", "/process-definitions/deploy", "/nothing"])
def test_a_call_whose_body_comes_in_chunks_is_refused(
    api: Api, deployed: None, path: str, coding: str
) -> None:
    chunked = api.but(**{"transfer-encoding": coding})
    assert chunked.post(path, {"process_def_id": "minimal"}).problem(411, "LengthRequired").places == PLACES
    assert chunked.get("/tasks").problem(411, "LengthRequired").places == PLACES
    assert ProcessInstance.objects.count() == HistoryEvent.objects.count() == 0


@pytest.mark.parametrize(
    "path", ["/accounts/login/", "/cockpit/", "/tasks/", "/admin/", "/health", "/nothing"]
)
def test_a_page_whose_body_comes_in_chunks_is_refused(db: None, path: str) -> None:
    headers = {"host": "localhost", "transfer-encoding": "chunked"}
    answer = Client().post(path, {"a": "b"}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (411, "LengthRequired")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["X-Request-Id"]


def test_a_host_without_the_middleware_is_guarded_too(db: None) -> None:
    answer = Tasks.as_view()(RequestFactory().get("/", headers={"transfer-encoding": "chunked"}))
    assert (answer.status_code, answer.data["code"]) == (411, "LengthRequired")


@pytest.mark.slow
def test_what_a_real_server_gets_in_chunks_is_refused(
    transactional_db: None, deployed: None, tmp_path: Path
) -> None:
    port = free_port()
    web = ["gunicorn", "bpm.project.wsgi:application", "--bind", f"127.0.0.1:{port}", "--no-control-socket"]
    with Children(tmp_path) as children:
        children.start("-m", *web, BPM_OPEN_ON_LOOPBACK="1")
        eventually(lambda: _listens(port), 60, "the server")
        assert _post(port, chunked=True) == (411, "LengthRequired")
        assert ProcessInstance.objects.count() == 0
        assert _post(port, chunked=False) == (201, None)
    assert ProcessInstance.objects.get().business_key == "kept"


def _post(port: int, *, chunked: bool) -> tuple[int, Any]:
    server = HTTPConnection("127.0.0.1", port, timeout=60)
    body: Any = iter([BODY[:9], BODY[9:]]) if chunked else BODY
    headers = {"Content-Type": "application/json"} | ({"Transfer-Encoding": "chunked"} if chunked else {})
    server.request("POST", "/api/v1/process-instances", body, headers, encode_chunked=chunked)
    with server.getresponse() as answer:
        found = answer.status, json.load(answer).get("code")
    server.close()
    return found


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
