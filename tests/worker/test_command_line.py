"""`python -m bpm.worker` as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from bpm.worker.__main__ import main
from tests.worker.scripted_engine import Answer, ScriptedEngine, once, problem, task

ROOT = Path(__file__).resolve().parents[2]
HANDLERS = "tests.worker.handlers"


class Commands:
    """Starts workers as processes; ends those that a test leaves behind."""

    def __init__(self, cleanup: ExitStack) -> None:
        self._cleanup = cleanup

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("BPM_")}
        process = subprocess.Popen(
            [sys.executable, "-m", "bpm.worker", *arguments],
            cwd=ROOT,
            env=inherited | environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._cleanup.enter_context(process)
        self._cleanup.callback(process.kill)
        return process

    def run(self, *arguments: str, **environment: str) -> tuple[int, str]:
        process = self.start(*arguments, **environment)
        _, errors = process.communicate(timeout=60)
        return process.returncode, errors


def read_until(process: subprocess.Popen[str], text: str) -> str:
    """What the process says up to the line that contains the text."""
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if text in line:
            return said
    raise AssertionError(f"{text!r} was not said: {said}")


@pytest.fixture
def commands() -> Iterator[Commands]:
    with ExitStack() as cleanup:
        yield Commands(cleanup)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_signal_drains(engine: ScriptedEngine, commands: Commands, number: signal.Signals) -> None:
    drains = threading.Event()
    late = once(drains, Answer(body=[task("late", lease_id=8)]))
    engine.script("fetch-and-lock", Answer(body=[task("running")]), late)
    arguments = ("--wait-ms", "30000", "--concurrency", "2", "--worker-id", "w")
    process = commands.start(f"{HANDLERS}:UntilDrained", *arguments, BPM_URL=engine.url, BPM_TOKEN="secret")
    engine.wait_for("fetch-and-lock", 2)
    engine.wait_for("extend-lock")
    # The second fetch is a long poll under way; what it brings comes too late to be started.
    process.send_signal(number)
    errors = read_until(process, f"worker stops: {number.name}")
    engine.wait_for("extend-lock", 2)
    drains.set()
    errors += process.communicate(timeout=60)[1]
    assert process.returncode == 0, errors
    [completion] = engine.calls("complete")
    assert completion.path.endswith("/running/complete")
    assert completion.body == {"worker_id": "w", "lease_id": 1, "variables": {"drained": True}}
    assert [call.path.split("/")[-2] for call in engine.calls("unlock")] == ["late"]
    assert {request.headers["authorization"] for request in engine.requests} == {"Token secret"}
    assert len(engine.calls("extend-lock")) >= 2
    assert len(engine.calls("fetch-and-lock")) == 2
    assert "secret" not in errors


def test_a_second_signal_ends_at_once(engine: ScriptedEngine, commands: Commands) -> None:
    engine.offer(task(variables={"seconds": 300}))
    process = commands.start(f"{HANDLERS}:Slow", "--url", engine.url, "--grace-ms", "300000")
    engine.wait_for("fetch-and-lock", 2)
    engine.wait_for("extend-lock")
    process.send_signal(signal.SIGTERM)
    read_until(process, "worker stops: SIGTERM")
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == -signal.SIGTERM
    assert engine.calls("complete") == []


def test_a_handler_that_outlasts_the_grace_does_not_keep_the_process(
    engine: ScriptedEngine, commands: Commands
) -> None:
    engine.offer(task(variables={"seconds": 300}))
    process = commands.start(f"{HANDLERS}:Slow", "--url", engine.url, "--grace-ms", "300", "--wait-ms", "100")
    engine.wait_for("fetch-and-lock", 2)
    engine.wait_for("extend-lock")
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "abandoned" in errors


def test_it_waits_for_an_engine_that_is_not_up_yet(engine: ScriptedEngine, commands: Commands) -> None:
    engine.script("fetch-and-lock", *[Answer(lost=True)] * 3)
    engine.offer(task(variables={"x": 1}))
    process = commands.start(f"{HANDLERS}:Echo", "--url", engine.url, "--tenant", "acme", "--wait-ms", "200")
    [completion] = engine.wait_for("complete")
    assert completion.headers["x-tenant-id"] == "acme"
    assert "authorization" not in completion.headers
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors


def test_a_wrong_token_is_status_1(engine: ScriptedEngine, commands: Commands) -> None:
    engine.script("fetch-and-lock", problem(401, "NotAuthenticated"))
    status, errors = commands.run(f"{HANDLERS}:Echo", "--url", engine.url, "--token", "wrong")
    assert status == 1
    assert errors.endswith(f"bpm.worker: {engine.url}: 401 NotAuthenticated: because of NotAuthenticated\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: module:Handler"),
        (["nonsense"], "'nonsense' must look like module:Handler"),
        (["nowhere.at.all:Handler"], "'nowhere.at.all:Handler': there is no module 'nowhere'"),
        ([f"{HANDLERS}:Nobody"], "module 'tests.worker.handlers' has no attribute 'Nobody'"),
        ([f"{HANDLERS}:Calling"], "cannot be made without arguments: missing a required argument: 'work'"),
        ([f"{HANDLERS}:time"], "is no handler: it needs task_type and handle(task, context)"),
        ([f"{HANDLERS}:Echo", f"{HANDLERS}:Slow"], "two handlers for topic 'work'"),
        (
            [f"{HANDLERS}:Echo", "--concurrency", "0"],
            "concurrency must be a whole number from 1 to 1000, is 0",
        ),
        ([f"{HANDLERS}:Echo", "--url", "localhost:8000"], "base_url must look like http://host:port"),
    ],
)
def test_a_wrong_command_line_is_status_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_faults_of_a_handler_s_module_keep_their_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_handlers.py").write_text("import a_module_that_is_missing\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="a_module_that_is_missing"):
        main(["broken_handlers:Handler"])
