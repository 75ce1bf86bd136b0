"""The tutorial's own process does what the tutorial says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from bpm import engine
from bpm.jobs.tick import tick_once
from bpm.models import Incident, ProcessInstance, Timer, UserTask

PAGE = Path(__file__).parents[2] / "docs/tutorial/first-process.md"


@pytest.fixture
def file(db: None, tmp_path: Path) -> Path:
    found = re.search(r"```xml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    path = tmp_path / "leave.bpmn"
    path.write_text(found.group(1))
    return path


def decide(**variables: Any) -> str:
    """Start an instance and complete its task; return the status in the answer."""
    engine.start("leave", variables={"days": 3})
    task = UserTask.objects.get(status="OPEN")
    return str(engine.complete_task(str(task.id), variables=variables)["status"])


def fire() -> str:
    """Let the timer be due, tick, and return the instance's status."""
    Timer.objects.update(due_at="2026-01-01T00:00:00Z")
    tick_once(run_handlers=False)
    return ProcessInstance.objects.get().status


def test_it_waits_for_a_person_and_for_two_seconds(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("deploy", str(file))
    call_command("deploy", str(file))
    said = capsys.readouterr().out
    assert said == "leave version 1 deployed (leave.bpmn)\nleave version 1 unchanged (leave.bpmn)\n"
    assert (decide(approved=True), fire()) == ("RUNNING", "COMPLETED")


def test_a_missing_variable_is_an_incident_that_can_be_mended(file: Path) -> None:
    call_command("deploy", str(file))
    assert decide() == "FAILED"
    incident = Incident.objects.get()
    assert (incident.kind, incident.node) == ("ExpressionFailed", "granted")
    engine.set_variables(str(incident.instance_id), variables={"approved": True})
    engine.resolve_incident(str(incident.id))
    assert fire() == "COMPLETED"


def test_a_broken_file_names_all_its_problems_and_is_not_deployed(file: Path) -> None:
    file.write_text(file.read_text().replace('<endEvent id="refused" />', ""))
    with pytest.raises(CommandError, match=r"leave\.bpmn:\d+ no: .*refused"):
        call_command("deploy", str(file))
    with pytest.raises(CommandError, match="No such file"):
        call_command("deploy", str(file.with_name("other.bpmn")))
    with pytest.raises(engine.EngineError, match="no process definition 'leave'"):
        engine.start("leave")
