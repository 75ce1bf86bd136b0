from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import httpx
import pytest

from bpm.worker import EngineClient, TaskHandler, Worker, WorkerConfig
from tests.worker.handlers import Held
from tests.worker.lease_clock import MODULES, LeaseClock
from tests.worker.scripted_engine import ScriptedEngine

StartWorker = Callable[..., Worker]


@pytest.fixture
def engine() -> Iterator[ScriptedEngine]:
    with ScriptedEngine() as engine:
        yield engine


@pytest.fixture(scope="session")
def tls() -> ssl.SSLContext:
    """Loading the certificates takes longer than most tests, and none of them needs one."""
    return ssl.create_default_context()


@pytest.fixture
def client(engine: ScriptedEngine, tls: ssl.SSLContext) -> Iterator[EngineClient]:
    with httpx.Client(verify=tls) as http:
        yield EngineClient(engine.url, token="secret", timeout_s=60.0, http=http)


@pytest.fixture
def start_worker(client: EngineClient) -> Iterator[StartWorker]:
    """Start a worker with quick settings; it is drained after the test."""
    with ExitStack() as cleanup:

        def start(*handlers: TaskHandler, **changes: int) -> Worker:
            quick = {"wait_ms": 100, "poll_interval_ms": 20, "grace_ms": 60_000, "backoff_base_ms": 20}
            worker = Worker(client, handlers, WorkerConfig(worker_id="worker-1", **(quick | changes)))
            worker.start()
            cleanup.callback(worker.drain)
            # What a failed test still holds must not hold up its end.
            for held in handlers:
                if isinstance(held, Held):
                    cleanup.callback(held.released.set)
            return worker

        yield start


@pytest.fixture
def lease_clock(monkeypatch: pytest.MonkeyPatch) -> LeaseClock:
    """Let leases last until the test lets time pass."""
    clock = LeaseClock()
    for module in MODULES:
        monkeypatch.setattr(f"bpm.worker.{module}.time", clock)
    return clock
