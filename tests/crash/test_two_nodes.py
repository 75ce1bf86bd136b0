"""Two web servers and two clusters on one database, under load, while any of them is killed at random."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.db.models import Count

from bpm.management.demo.preparation import deploy_examples
from bpm.models import ExternalTask, HistoryEvent, ProcessInstance
from bpm.shell.verifying import changed_since, find_strays, verify_each
from tests.support.children import Children, eventually, wait_for_sessions_to_end
from tests.support.running_demo import free_port

pytestmark = [pytest.mark.crash, pytest.mark.timeout(1_800), pytest.mark.postgresql]
LOAD_S = float(os.environ.get("BPM_CHAOS_S") or 20)
"""Ten minutes are the full drill; a short one is part of every run."""
ENDING_S = 120


class Node:
    """A web server or a cluster that is started again whenever it is killed."""

    def __init__(self, children: Children, name: str, port: int | None) -> None:
        self.name, self.port = name, port
        self._children = children
        self.start()

    def start(self) -> None:
        """Start it, as an installation does."""
        if self.port is None:
            self.process = self._children.start("manage.py", "cluster", log=f"{self.name}.log")
            return
        self.process = self._children.start(
            *("-m", "gunicorn", "bpm.project.wsgi:application", "--bind", f"127.0.0.1:{self.port}"),
            *("--workers", "1", "--threads", "8", "--log-level", "warning", "--no-control-socket"),
            log=f"{self.name}.log",
            BPM_OPEN_ON_LOOPBACK="1",
            DJANGO_SETTINGS_MODULE="bpm.project.settings",
        )

    def kill(self) -> None:
        """Kill the whole family."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Caller:
    """Sends each call to one of the web servers, and again to the other under the same key if there is no answer."""

    def __init__(self, ports: list[int]) -> None:
        self._ports = ports
        self._http = httpx.Client(timeout=10.0, trust_env=False)

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Return the answer; None where the call was refused because somebody else had done it."""
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        deadline = time.monotonic() + ENDING_S
        while True:
            port = random.choice(self._ports)
            try:
                answer = self._http.post(f"http://127.0.0.1:{port}/api/v1{path}", json=body, headers=headers)
            except httpx.TransportError:
                assert time.monotonic() < deadline, f"nobody answers {path}"
                time.sleep(0.05)
                continue
            if answer.is_success:
                return answer.json()
            assert answer.status_code in (409, 503), answer.text
            if answer.json().get("code") not in ("Busy", "IdempotencyInProgress"):
                return None
            time.sleep(0.05)


class Load(threading.Thread):
    """A caller that starts payments, and a worker that completes them."""

    def __init__(self, ports: list[int], *, starting: bool) -> None:
        super().__init__()
        self._caller = Caller(ports)
        self._starting = starting
        self.enough = threading.Event()
        self.started: list[str] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        """Work until told to stop; whatever goes wrong is kept."""
        try:
            while not self.enough.is_set():
                self._start() if self._starting else self._work()
        except BaseException as error:  # noqa: BLE001 - the test itself shows it
            self.error = error
        finally:
            self._caller.close()

    def _start(self) -> None:
        body = {"process_def_id": "payment-flow", "variables": {"amount": len(self.started) + 1}}
        self.started.append(self._caller.post("/process-instances", body)["instance_id"])
        time.sleep(0.02)

    def _work(self) -> None:
        fetch = {"worker_id": self.name, "task_types": ["payment"], "max_tasks": 5, "lock_duration_ms": 3_000}
        tasks = self._caller.post("/external-tasks/fetch-and-lock", fetch) or []
        for task in tasks:
            done = {"worker_id": self.name, "lease_id": task["lease_id"], "variables": {"paid": True}}
            self._caller.post(f"/external-tasks/{task['task_id']}/complete", done)
        if not tasks:
            time.sleep(0.1)


@pytest.fixture
def nodes(transactional_db: None, tmp_path: Path) -> Iterator[list[Node]]:
    deploy_examples()
    with Children(tmp_path) as children:
        yield [
            Node(children, "web-1", free_port()),
            Node(children, "web-2", free_port()),
            Node(children, "cluster-1", None),
            Node(children, "cluster-2", None),
        ]
    wait_for_sessions_to_end()


def is_ready(port: int) -> bool | None:
    """Return what a web server says of the loops; None where it does not answer."""
    try:
        answer = httpx.get(f"http://127.0.0.1:{port}/ready", timeout=5, trust_env=False)
    except httpx.TransportError:
        return None
    return bool(answer.json()["checks"].get("loops") == "ok")


def test_nothing_is_lost_or_doubled_while_nodes_are_killed_at_random(nodes: list[Node]) -> None:
    ports = [node.port for node in nodes if node.port is not None]
    eventually(lambda: all(is_ready(port) for port in ports), ENDING_S, "both web servers to be ready")
    load = [Load(ports, starting=True), Load(ports, starting=False), Load(ports, starting=False)]
    for thread in load:
        thread.start()
    kills = 0
    chosen = random.Random(17)
    until = time.monotonic() + LOAD_S
    while time.monotonic() < until:
        time.sleep(chosen.uniform(1.0, 3.0))
        node = chosen.choice(nodes)
        node.kill()
        time.sleep(chosen.uniform(0.1, 1.0))
        node.start()
        kills += 1
    load[0].enough.set()
    load[0].join(ENDING_S)
    started = load[0].started
    running = ProcessInstance.objects.filter(id__in=started).exclude(status="COMPLETED")
    eventually(lambda: not running.exists() or any(t.error for t in load), ENDING_S, "all instances to end")
    for thread in load[1:]:
        thread.enough.set()
        thread.join(ENDING_S)
    assert [thread.error for thread in load if thread.error is not None] == []
    assert ProcessInstance.objects.count() == len(set(started)) == len(started) > 0
    completions = HistoryEvent.objects.filter(event_type="ExternalTaskCompleted")
    assert completions.count() == len(started) == ExternalTask.objects.count()
    assert not completions.values("token").annotate(times=Count("token")).filter(times__gt=1).exists()
    findings = [finding for result in verify_each(changed_since(None)) for finding in result.findings]
    assert findings == []
    assert list(find_strays()) == []
    print(f"\n{len(started)} instances ended, {kills} nodes killed in {LOAD_S:.0f} s")


def test_ready_follows_the_loops(nodes: list[Node]) -> None:
    port = nodes[0].port
    assert port is not None
    eventually(lambda: is_ready(port), ENDING_S, "it to be ready")
    nodes[2].kill()
    time.sleep(6)
    assert is_ready(port), "the other cluster goes on"
    nodes[3].kill()
    eventually(lambda: is_ready(port) is False, 5.5, "it to turn red within five seconds")
    nodes[2].start()
    eventually(lambda: is_ready(port), ENDING_S, "it to be ready again")
