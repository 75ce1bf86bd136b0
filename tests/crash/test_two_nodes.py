"""Two web servers and two clusters on one database, under load, while any of them is killed at random."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.db.models import Count

from bpm.management.demo.preparation import deploy_examples
from bpm.models import ExternalTask, HistoryEvent, ProcessInstance
from bpm.shell.verifying import changed_since, find_strays, verify_each
from tests.support.children import (
    Children,
    descendants,
    eventually,
    ticking_workers,
    wait_for_sessions_to_end,
)
from tests.support.readiness_watch import (
    RED_WITHIN_S,
    ReadinessWatch,
    longest_red_s,
    wait_for_red,
    wrong_answers,
)
from tests.support.running_demo import free_port

pytestmark = [pytest.mark.crash, pytest.mark.timeout(1_800), pytest.mark.postgresql]
LOAD_S = float(os.environ.get("BPM_CHAOS_S") or 20)
"""Ten minutes are the full drill; a short one is part of every run."""
ENDING_S = 300
"""So long nobody may be there on a machine with ten times more to do than it can."""
OUTAGE_S = 8.0
"""So long no cluster is there, once a minute and once at least: `/ready` must see it within five seconds."""


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


def is_ready(port: int, *, whole: bool = False) -> bool | None:
    """Return what a web server says of the loops, or of the `whole`; None where it does not answer."""
    try:
        answer = httpx.get(f"http://127.0.0.1:{port}/ready", timeout=5, trust_env=False)
    except httpx.TransportError:
        return None
    return answer.status_code == 200 if whole else bool(answer.json()["checks"].get("loops") == "ok")


class Chaos:
    """Kills nodes at random, and both clusters at once each minute; on a slow machine they get time to come back.

    Attributes:
        outages: from the kill of the last cluster to the start of the next, by the monotonic clock.
    """

    def __init__(self, nodes: list[Node], watches: list[ReadinessWatch]) -> None:
        self._nodes = nodes
        self._watches = watches
        self._ports = [node.port for node in nodes if node.port is not None]
        self._chosen = random.Random(17)
        self.kills = 0
        self.outages: list[tuple[float, float]] = []

    def rage(self, seconds: float) -> None:
        """Kill until the time is over."""
        began = time.monotonic()
        next_outage = began + min(30.0, seconds / 3)
        while time.monotonic() < began + seconds:
            time.sleep(self._chosen.uniform(1.0, 3.0))
            eventually(
                lambda: any(is_ready(port) for port in self._ports), ENDING_S, "some web server and cluster"
            )
            if time.monotonic() >= next_outage:
                self._kill_all_clusters()
                next_outage += 60.0
                continue
            self._kill_for([self._chosen.choice(self._nodes)], self._chosen.uniform(0.1, 1.0))

    def _kill_all_clusters(self) -> None:
        clusters = [node for node in self._nodes if node.port is None]
        self.outages.append(self._kill_for(clusters, OUTAGE_S, self._somebody_says_red))

    def _somebody_says_red(self, killed_at: float) -> None:
        eventually(lambda: any(is_ready(port) is False for port in self._ports), ENDING_S, "a red answer")
        eventually(
            lambda: any(watch.error or watch.has_asked(killed_at + RED_WITHIN_S) for watch in self._watches),
            ENDING_S,
            "an answer to those who watch",
        )

    def _kill_for(
        self, nodes: list[Node], seconds: float, wait: Callable[[float], None] = lambda killed_at: None
    ) -> tuple[float, float]:
        for node in nodes:
            node.kill()
        killed_at = time.monotonic()
        time.sleep(seconds)
        wait(killed_at)
        started_at = time.monotonic()
        for node in nodes:
            node.start()
        self.kills += len(nodes)
        return killed_at, started_at


def test_nothing_is_lost_or_doubled_while_nodes_are_killed_at_random(nodes: list[Node]) -> None:
    ports = [node.port for node in nodes if node.port is not None]
    eventually(lambda: all(is_ready(port) for port in ports), ENDING_S, "both web servers to be ready")
    load = [Load(ports, starting=True), Load(ports, starting=False), Load(ports, starting=False)]
    watches = [ReadinessWatch(port) for port in ports]
    threads: list[Load | ReadinessWatch] = [*load, *watches]
    chaos = Chaos(nodes, watches)
    with _running(threads):
        chaos.rage(LOAD_S)
        load[0].enough.set()
        load[0].join(ENDING_S)
        started = load[0].started
        running = ProcessInstance.objects.filter(id__in=started).exclude(status="COMPLETED")
        eventually(
            lambda: not running.exists() or any(t.error for t in load), ENDING_S, "all instances to end"
        )
        eventually(
            lambda: all(is_ready(port) for port in ports), ENDING_S, "both web servers to be ready again"
        )
    assert [thread.error for thread in threads if thread.error is not None] == []
    assert ProcessInstance.objects.count() == len(set(started)) == len(started) > 0
    completions = HistoryEvent.objects.filter(event_type="ExternalTaskCompleted")
    assert completions.count() == len(started) == ExternalTask.objects.count()
    assert not completions.values("token").annotate(times=Count("token")).filter(times__gt=1).exists()
    findings = [finding for result in verify_each(changed_since(None)) for finding in result.findings]
    assert findings == []
    assert list(find_strays()) == []
    print(f"\n{len(started)} instances ended, {chaos.kills} nodes killed in {LOAD_S:.0f} s")
    _judge_readiness(watches, chaos.outages)


@contextmanager
def _running(threads: Sequence[Load | ReadinessWatch]) -> Iterator[None]:
    """Run threads beside the block; they end with it, however it ends."""
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.enough.set()
        for thread in threads:
            thread.join(ENDING_S)


def _judge_readiness(watches: list[ReadinessWatch], outages: list[tuple[float, float]]) -> None:
    answers = [answer for watch in watches for answer in watch.answers]
    green = sum(answer.is_green() for answer in answers)
    assert wrong_answers(answers, outages) == []
    for began, ended in outages:
        seen = [a for a in answers if began + RED_WITHIN_S <= a.asked_at and a.answered_at <= ended]
        assert seen, "a web server was asked while no cluster was there"
    longest = longest_red_s(answers, outages)
    assert longest < ENDING_S
    queue = [answer.checks.get("queue") == "ok" for answer in answers]
    print(
        f"/ready: {len(answers)} answers, {green} with the loops green, {sum(queue)} with the queue green; "
        f"{len(outages)} outages of {OUTAGE_S:.0f} s, each red within {RED_WITHIN_S:.0f} s; "
        f"otherwise at most {longest:.1f} s without green"
    )


def test_ready_follows_the_loops(nodes: list[Node]) -> None:
    port = nodes[0].port
    assert port is not None
    eventually(lambda: is_ready(port), ENDING_S, "it to be ready")
    other = nodes[3].process.pid
    eventually(lambda: ticking_workers() & descendants(other).keys(), ENDING_S, "the other cluster to tick")
    nodes[2].kill()
    time.sleep(RED_WITHIN_S + 1)
    eventually(lambda: is_ready(port), ENDING_S, "the other cluster to go on")
    nodes[3].kill()
    wait_for_red(lambda: is_ready(port), time.monotonic())
    nodes[2].start()
    eventually(lambda: is_ready(port), ENDING_S, "it to be ready again")
