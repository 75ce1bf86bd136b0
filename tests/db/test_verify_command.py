"""`manage.py verify`, and the verification in the background."""

from __future__ import annotations

import json
import re
import threading
import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from bpm.jobs import verifier
from bpm.models import ProcessInstance, Verification
from bpm.shell.export import export_lines
from bpm.shell.verifying import instances
from tests.support.database_host import DatabaseHost
from tests.support.play import Case, Play
from tests.support.proof import sql

pytestmark = pytest.mark.django_db(transaction=True)

_MODEL = "start s -> u\nuser u -> e\nend e"
GENEROUS_S = 120.0


@pytest.fixture
def case() -> Case:
    return Play(DatabaseHost(checked=False)).begin(_MODEL, n=1)


def _verify(*args: str, **options: Any) -> tuple[int, str]:
    """Return the exit code and the output."""
    out = StringIO()
    try:
        call_command("verify", *args, stdout=out, **options)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue()
    return 0, out.getvalue()


def _damage(case: Case) -> None:
    sql("UPDATE bpm_usertask SET name = 'other'")


def test_sound_instances_end_with_nothing(case: Case, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    code, out = _verify("--all", json=report)
    assert code == 0
    assert re.fullmatch(r"1 instances, \d+ events in [\d.]+ s \([\d,]+ events/s\): all sound\n", out)
    found = json.loads(report.read_text())
    assert (found["sound"], found["broken"], found["instances"]) == (True, [], 1)
    assert _verify(case.id)[0] == 0


def test_findings_are_printed_and_reported(case: Case, tmp_path: Path) -> None:
    _damage(case)
    report = tmp_path / "report.json"
    code, out = _verify(case.id, json=report)
    assert code == 1
    assert f"{case.id}: RowsDiffer user_tasks" in out
    assert "(from event " in out
    (broken,) = json.loads(report.read_text())["broken"]
    assert broken["instance_id"] == case.id
    assert broken["findings"][0]["rule"] == "RowsDiffer"
    assert case.status == "RUNNING"


def test_freezing_is_asked_for(case: Case) -> None:
    _damage(case)
    assert _verify("--all", "--freeze")[0] == 1
    row = ProcessInstance.objects.get(id=case.id)
    assert (row.status, row.suspended_because) == ("SUSPENDED", "invariant")


def test_only_what_changed_since_is_looked_at(case: Case) -> None:
    _damage(case)
    assert _verify("--since", "2000-01-01T00:00:00Z")[0] == 1
    assert "0 instances" in _verify("--since", "2100-01-01T00:00:00")[1]


def test_a_file_is_verified_without_its_rows(case: Case, tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_text("".join(export_lines(case.id)))
    assert _verify(file=file)[0] == 0
    file.write_text(file.read_text().replace('"n"', '"m"').replace('\\"n\\"', '\\"m\\"'))
    code, out = _verify(file=file)
    assert code == 1
    assert "ChainBroken" in out
    file.write_text("x")
    with pytest.raises(CommandError, match="line 1"):
        _verify(file=file)


def test_what_is_asked_for_has_to_be_clear(case: Case) -> None:
    for args in ((), ("--all", case.id)):
        with pytest.raises(CommandError, match="Name instances"):
            _verify(*args)
    with pytest.raises(CommandError, match="is no id"):
        _verify("x")
    code, out = _verify("01900000-0000-7000-8000-0000000000ff")
    assert code == 1
    assert "there is no such instance" in out


def test_a_group_with_too_many_events_is_read_page_by_page(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        Play(case.host).start(n=1)
    monkeypatch.setattr(instances, "GROUP_EVENTS", 5)
    ids = [str(row) for row in ProcessInstance.objects.values_list("id", flat=True)]
    results = instances.verify_instances(ids)
    assert [result.findings for result in results] == [[]] * 4
    assert all(result.events > 1 for result in results)


def test_instances_are_verified_while_they_change(case: Case) -> None:
    """Each is read in one snapshot, so nothing half is ever seen."""
    stop = threading.Event()
    failed: list[Exception] = []

    def work() -> None:
        try:
            while not stop.is_set():
                other = Play(case.host).start(n=2)
                other.complete("u", n=3)
        except Exception as error:  # noqa: BLE001 - the test tells of it
            failed.append(error)
        finally:
            connections.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(5):
            code, out = _verify("--all")
            assert code == 0, out
    finally:
        stop.set()
        thread.join(GENEROUS_S)
    assert failed == []


def test_the_cluster_verifies_in_the_background(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifier, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(verifier, "ROUND_PAUSE_S", 0.05)
    _damage(case)
    background = verifier.Verifier("test")
    background.start()
    deadline = time.monotonic() + GENEROUS_S
    while case.status != "SUSPENDED" and time.monotonic() < deadline:
        time.sleep(0.05)
    background.stop(GENEROUS_S)
    assert case.status == "SUSPENDED"
    assert Verification.objects.filter(instance__id=case.id).exists()


def test_no_share_means_no_background_verification(case: Case, settings: Any) -> None:
    settings.BPM = {**settings.BPM, "VERIFY_SHARE_PERCENT": 0}
    background = verifier.Verifier("test")
    background.start()
    background.stop()
    assert not Verification.objects.exists()
