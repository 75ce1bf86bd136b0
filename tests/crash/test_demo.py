"""The demo: what it promises, and that it comes through the death of any of its programs."""

from __future__ import annotations

import signal
import socket
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from django.db.models import Count
from knox.models import AuthToken

from bpm.management.demo.parts import without_proxy
from bpm.models import ExternalTask, HistoryEvent, ProcessInstance
from tests.support.children import Children, descendants, eventually, is_running
from tests.support.running_demo import PatientCaller, RunningDemo, free_port
from tests.support.stalls import stalling

pytestmark = [pytest.mark.crash, pytest.mark.timeout(300)]


def test_once_runs_the_payment_to_its_end_and_prints_its_trace(
    transactional_db: None, tmp_path: Path
) -> None:
    with Children(tmp_path) as children:
        demo = children.start("manage.py", "demo", "--once", "--port", str(free_port()))
        assert demo.wait(150) == 0, children.log().read_text()
        said = children.log().read_text()
    assert "minimal" in said
    assert "Trace of payment-flow" in said
    assert "'status': 'PAID'" in said
    assert (
        said.index("ExternalTaskCreated")
        < said.index("ExternalTaskLocked")
        < said.index("ExternalTaskCompleted")
    )
    assert ProcessInstance.objects.get(definition_key="payment-flow").status == "COMPLETED"
    assert ProcessInstance.objects.get(definition_key="order-process").status == "RUNNING"


@pytest.mark.sqlite
def test_a_taken_port_is_named_with_the_way_out(transactional_db: None, tmp_path: Path) -> None:
    with socket.socket() as taken, Children(tmp_path) as children:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        demo = children.start("manage.py", "demo", "--once", "--port", str(port))
        assert demo.wait(60) == 1
        said = children.log().read_text()
    assert f"Port {port} on 127.0.0.1 cannot be used" in said
    assert f"--port {port + 1}" in said
    assert "Traceback" not in said


@pytest.mark.sqlite
def test_a_second_demo_says_why_not_and_leaves_the_first_alone(
    transactional_db: None, tmp_path: Path
) -> None:
    with RunningDemo(tmp_path) as demo, Children(tmp_path) as children:
        (token,) = AuthToken.objects.values_list("digest", flat=True)
        log = demo.log("worker")
        second = children.start("manage.py", "demo", "--once", "--port", str(free_port()))
        assert second.wait(60) == 1
        said = children.log().read_text()
        assert f"A demo is running with the data in {tmp_path} already" in said
        assert f"(process {demo.process.pid}, port {demo.port})" in said
        assert "BPM_VAR_DIR=" in said
        assert "Traceback" not in said
        assert list(AuthToken.objects.values_list("digest", flat=True)) == [token]
        assert demo.log("worker").startswith(log)
    assert not AuthToken.objects.exists(), "the token of a demo ends with it"


@pytest.mark.sqlite
def test_two_demos_with_one_database_leave_each_others_tokens(transactional_db: None, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with RunningDemo(tmp_path) as demo, Children(tmp_path / "other") as children:
        (token,) = AuthToken.objects.values_list("digest", flat=True)
        second = children.start("manage.py", "demo", "--once", "--port", str(free_port()))
        assert second.wait(150) == 0, children.log().read_text()
        assert list(AuthToken.objects.values_list("digest", flat=True)) == [token]
        demo.kill("worker")
        eventually(lambda: "worker" in demo.children_of_demo(), what="the worker to be started again")
        with PatientCaller(demo.api) as caller:
            caller.post("/process-instances", {"process_def_id": "payment-flow", "variables": {"amount": 1}})
        payments = ProcessInstance.objects.filter(definition_key="payment-flow")
        eventually(lambda: payments.filter(status="COMPLETED").count() == 3, 60, "all payments")


@pytest.mark.sqlite
def test_the_token_of_a_demo_that_was_killed_ends_with_the_next_one(
    transactional_db: None, tmp_path: Path
) -> None:
    with RunningDemo(tmp_path) as demo:
        demo.process.kill()
        demo.process.wait(20)
        assert AuthToken.objects.count() == 1
    with Children(tmp_path) as children:
        demo_after = children.start("manage.py", "demo", "--once", "--port", str(free_port()))
        assert demo_after.wait(150) == 0, children.log().read_text()
    assert not AuthToken.objects.exists()


@pytest.mark.sqlite
def test_a_proxy_is_not_asked_for_this_machine(transactional_db: None, tmp_path: Path) -> None:
    with socket.socket() as proxy, Children(tmp_path) as children:
        # Nobody ever accepts: whoever asks it waits in vain.
        proxy.bind(("127.0.0.1", 0))
        proxy.listen()
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        proxies = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY"), address)
        demo = children.start("manage.py", "demo", "--once", "--port", str(free_port()), **proxies)
        assert demo.wait(150) == 0, children.log().read_text()


def test_hosts_that_need_no_proxy_stay_those() -> None:
    found = without_proxy({"NO_PROXY": "a.example, b.example", "no_proxy": "b.example,localhost"})
    assert found == dict.fromkeys(("NO_PROXY", "no_proxy"), "b.example,localhost,a.example,127.0.0.1,::1")
    assert without_proxy({})["NO_PROXY"] == "127.0.0.1,localhost,::1"


@pytest.mark.sqlite
def test_without_the_demo_setting_it_refuses(transactional_db: None, tmp_path: Path) -> None:
    with Children(tmp_path) as children:
        demo = children.start("manage.py", "demo", BPM_DEMO="0", BPM_DEBUG="1")
        assert demo.wait(60) == 1
        assert "runs with BPM_DEMO=1 only" in children.log().read_text()


@pytest.mark.sqlite
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name)
def test_however_the_demo_ends_nothing_is_left(
    transactional_db: None, tmp_path: Path, number: signal.Signals
) -> None:
    with RunningDemo(tmp_path) as demo:
        family = descendants(demo.process.pid)
        assert set(demo.children_of_demo()) == {"web", "cluster", "worker"}
        demo.process.send_signal(number)
        code = demo.process.wait(60)
        # What was killed is there until the system has done with it: what it writes to a slow disk, for one.
        eventually(lambda: not any(is_running(pid) for pid in family), what="all programs to end")
        assert code == (-signal.SIGKILL if number is signal.SIGKILL else 0)


class Load(threading.Thread):
    """Starts payments and orders, and completes the orders' user tasks, until told to stop."""

    def __init__(self, api: str) -> None:
        super().__init__()
        self._api = api
        self.enough = threading.Event()
        self.started: set[str] = set()
        self.error: BaseException | None = None

    def run(self) -> None:
        """Call the API; whatever goes wrong is kept in `error`."""
        try:
            with PatientCaller(self._api) as caller:
                while not self.enough.is_set():
                    self._round(caller)
        except BaseException as error:  # noqa: BLE001 - the test itself shows it
            self.error = error

    def _round(self, caller: PatientCaller) -> None:
        for key in ("payment-flow", "order-process"):
            body = {"process_def_id": key, "variables": {"amount": len(self.started) + 1}}
            self.started.add(caller.post("/process-instances", body)["instance_id"])
        for task in caller.get("/tasks?type=user")["items"]:
            caller.post(f"/tasks/{task['task_id']}/complete", {})
        time.sleep(0.15)


def test_every_instance_ends_once_although_all_programs_are_killed_under_load(
    transactional_db: None, tmp_path: Path
) -> None:
    with RunningDemo(tmp_path) as demo:
        load = Load(demo.api)
        load.start()
        try:
            for program in ("worker", "web", "cluster"):
                before = len(load.started)
                eventually(lambda before=before: len(load.started) >= before + 6, 90, "the load to go on")  # type: ignore[misc]
                demo.kill(program)
            before = len(load.started)
            eventually(lambda: len(load.started) >= before + 6, 90, "the load to go on")
        finally:
            load.enough.set()
            load.join(90)
        assert load.error is None
        with PatientCaller(demo.api) as caller:
            complete_user_tasks(caller)
        eventually(lambda: not ProcessInstance.objects.exclude(status="COMPLETED").exists(), 60, "all to end")
        assert demo.process.poll() is None
    # Three more were started by the demo itself.
    assert ProcessInstance.objects.count() == len(load.started) + 3
    order = ProcessInstance.objects.filter(definition_key="order-process").order_by("started_at")[0]
    assert order.ended_at is not None
    assert (order.ended_at - order.started_at).total_seconds() >= 5
    require_single_completions()
    with sqlite3.connect(tmp_path / "payments.sqlite3") as ledger:
        (paid,) = ledger.execute("SELECT count(*) FROM payment").fetchone()
    ledger.close()
    assert paid == ExternalTask.objects.filter(status="COMPLETED").count() == ExternalTask.objects.count()


def complete_user_tasks(caller: PatientCaller) -> None:
    def complete_open() -> bool:
        found = caller.get("/tasks?type=user")["items"]
        for task in found:
            caller.post(f"/tasks/{task['task_id']}/complete", {})
        return not found

    eventually(complete_open, what="no user task to be open")


def require_single_completions() -> None:
    """Check that no history has something that can only happen once twice, and none has a gap."""
    once: dict[str, Any] = {
        "InstanceCompleted": ("instance_id",),
        "TimerFired": ("instance_id", "node"),
        "UserTaskCompleted": ("instance_id", "node"),
        "ExternalTaskCompleted": ("instance_id", "node"),
        "JoinFired": ("instance_id", "node"),
    }
    for event_type, names in once.items():
        rows = HistoryEvent.objects.filter(event_type=event_type).values(*names)
        assert not list(rows.annotate(n=Count("pk")).filter(n__gt=1)), event_type
    finals = HistoryEvent.objects.filter(final=True).values("instance_id", "token").annotate(n=Count("pk"))
    assert not list(finals.filter(n__gt=1))
    for instance, last in ProcessInstance.objects.values_list("id", "last_sequence"):
        assert HistoryEvent.objects.filter(instance_id=instance).count() == last + 1


@pytest.mark.sqlite
@pytest.mark.slow
def test_sqlite_serves_twenty_writes_a_second_next_to_cluster_and_worker(
    transactional_db: None, tmp_path: Path
) -> None:
    """P119: nobody sees that the database is locked."""
    took: list[float] = []
    with RunningDemo(tmp_path) as demo, PatientCaller(demo.api) as caller, stalling() as stalls:
        begin = time.monotonic()
        for number in range(160):
            time.sleep(max(0.0, begin + number / 20 - time.monotonic()))
            sent = time.monotonic()
            key = ("payment-flow", "order-process")[number % 2]
            caller.post("/process-instances", {"process_def_id": key, "variables": {"amount": 1}})
            took.append(time.monotonic() - sent)
        assert caller.refusals == []
        payments = ProcessInstance.objects.filter(definition_key="payment-flow")
        eventually(lambda: payments.filter(status="COMPLETED").count() == 81, 60, "all payments")
        for program in ("web", "cluster", "worker"):
            assert "locked" not in demo.log(program), program
    assert max(took) < 5 + stalls.seconds, sorted(took)[-5:]
