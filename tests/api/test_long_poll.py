"""Waiting for work inside a fetch."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test import Client
from pytest_django import Settings

from api import long_poll
from tests.api.caller import Answer, Api
from tests.support.children import eventually

FETCH = "/external-tasks/fetch-and-lock"
WAITING = {"worker_id": "w1", "task_types": ["payment"], "wait_ms": long_poll.MAX_WAIT_MS}


class Elsewhere:
    """Other threads of the same server."""

    def __init__(self, pool: ThreadPoolExecutor, headers: dict[str, str]) -> None:
        self._pool = pool
        self._headers = headers

    def post(self, path: str, body: object, *, after_s: float = 0) -> Future[Answer]:
        """Send a POST from another thread."""
        return self._pool.submit(self._post, path, body, after_s)

    def _post(self, path: str, body: object, after_s: float) -> Answer:
        time.sleep(after_s)
        try:
            return Api(Client(), **self._headers).post(path, body)
        finally:
            connection.close()


@pytest.fixture
def elsewhere(transactional_db: None, api: Api, deployed: None) -> Iterator[Elsewhere]:
    """Two more threads."""
    with ThreadPoolExecutor(2) as pool:
        yield Elsewhere(pool, api.headers)


def test_a_task_that_comes_later_is_fetched_soon_after(elsewhere: Elsewhere, api: Api) -> None:
    began = time.monotonic()
    started = elsewhere.post("/process-instances", {"process_def_id": "payment-flow"}, after_s=0.5)
    (task,) = api.post(FETCH, WAITING).ok()
    waited = time.monotonic() - began
    assert task["instance_id"] == started.result().ok(201)["instance_id"]
    assert 0.4 < waited < 25


def test_a_task_that_is_there_is_not_waited_for(elsewhere: Elsewhere, api: Api) -> None:
    api.start("payment-flow")
    began = time.monotonic()
    assert len(api.post(FETCH, WAITING).ok()) == 1
    assert time.monotonic() - began < 25


def test_nothing_comes_and_the_wait_ends(elsewhere: Elsewhere, api: Api) -> None:
    began = time.monotonic()
    answer = api.post(FETCH, WAITING | {"wait_ms": 700})
    assert answer.ok() == []
    assert "Retry-After" not in answer.headers
    assert 0.6 < time.monotonic() - began < 20


def test_no_database_connection_is_held_between_probes(
    elsewhere: Elsewhere, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    closed: list[bool] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        closed.append(connection.connection is None)

    # Only the pauses take time, whatever the machine does meanwhile.
    monkeypatch.setattr(long_poll, "time", SimpleNamespace(monotonic=lambda: sum(pauses), sleep=sleep))
    assert api.post(FETCH, WAITING | {"wait_ms": 1_000}).ok() == []
    assert len(pauses) >= 3
    assert sum(pauses) == pytest.approx(1.0)
    assert all(closed)
    assert all(0.2 <= pause <= 0.3 for pause in pauses[:-1])
    assert len(set(pauses)) > 1


def test_half_of_the_threads_may_wait_and_the_rest_comes_again(
    elsewhere: Elsewhere, api: Api, settings: Settings
) -> None:
    settings.BPM = settings.BPM | {"WEB_THREADS": 3}
    waiting = elsewhere.post(FETCH, WAITING)
    eventually(lambda: long_poll._slots._taken, 60, "the other request to wait")
    began = time.monotonic()
    answer = api.post(FETCH, WAITING)
    assert answer.ok() == []
    assert answer.headers["Retry-After"] == "1"
    assert time.monotonic() - began < 25
    api.start("payment-flow")
    assert len(waiting.result().ok()) == 1
    assert api.post(FETCH, WAITING | {"wait_ms": 300}).headers.get("Retry-After") is None


def test_a_slot_is_given_back_when_the_wait_fails(elsewhere: Elsewhere, settings: Settings) -> None:
    settings.BPM = settings.BPM | {"WEB_THREADS": 2}

    def broken() -> bool:
        raise ZeroDivisionError

    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            long_poll.poll(list, broken, 1_000)


def test_a_wait_under_a_key_goes_on_until_something_comes(elsewhere: Elsewhere, api: Api) -> None:
    elsewhere.post("/process-instances", {"process_def_id": "payment-flow"}, after_s=0.5)
    first = api.post(FETCH, WAITING, key="r1").ok()
    assert len(first) == 1
    assert api.post(FETCH, WAITING, key="r1").ok() == first
