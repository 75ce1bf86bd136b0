"""/metrics: the numbers of all processes and of the database."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from bpm import engine
from bpm.project.monitoring import process_files
from bpm.project.monitoring.command_metrics import command_metrics
from bpm.project.monitoring.stock_metrics import StockMetrics
from bpm.shell.remembering.memory import memory
from tests.support.children import Children
from tests.support.loop_models import deploy, external, process, timer
from tests.support.statements import executed

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]
DASHBOARD = Path(__file__).parents[2] / "docs" / "deployment" / "grafana-dashboard.json"


def samples(text: str) -> Samples:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(found: Samples, name: str, **labels: str) -> float:
    return found.get((name, frozenset(labels.items())), 0.0)


@pytest.fixture
def scraper(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Client:
    settings.METRICS_TOKEN = "a-long-and-secret-word"
    monkeypatch.setattr("bpm.project.monitoring.stock_metrics.FRESH_S", -1.0)
    return Client(headers={"Authorization": "Bearer a-long-and-secret-word"})


def scrape(client: Client) -> Samples:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    return samples(answer.content.decode())


def test_only_who_may_reads_them(transactional_db: None, scraper: Client) -> None:
    assert scraper.get("/metrics").status_code == 200
    for stranger in (
        Client(),
        Client(headers={"Authorization": "Bearer another"}),
        Client(headers={"Authorization": "Bearer "}),
    ):
        assert stranger.get("/metrics").status_code == 403
    person = Client()
    person.force_login(User.objects.create_user("bob"))
    assert person.get("/metrics").status_code == 403
    person.force_login(User.objects.create_superuser("ada"))
    assert person.get("/metrics").status_code == 200
    assert person.post("/metrics").status_code == 405


def test_without_a_token_in_the_settings_no_token_opens_them(
    transactional_db: None, settings: Settings
) -> None:
    settings.METRICS_TOKEN = ""
    assert Client(headers={"Authorization": "Bearer "}).get("/metrics").status_code == 403


def test_commands_are_counted_with_what_became_of_them(transactional_db: None, scraper: Client) -> None:
    deploy(process("p", external("t")))
    before = scrape(scraper)
    engine.start_many([engine.Start(process="p"), engine.Start(process="none")])
    (task,) = engine.fetch_and_lock("w", topics=["t"], max_tasks=1, lock_ms=10_000)
    engine.complete_external_task(task["task_id"], worker="w")
    after = scrape(scraper)

    def more(name: str, **labels: str) -> float:
        return value(after, name, **labels) - value(before, name, **labels)

    assert more("bpm_commands_total", command="StartInstance", outcome="done") == 1
    assert more("bpm_commands_total", command="StartInstance", outcome="DefinitionNotFound") == 1
    assert more("bpm_commands_total", command="FetchAndLock", outcome="done") == 1
    assert more("bpm_commands_total", command="CompleteExternalTask", outcome="done") == 1
    assert more("bpm_execution_seconds_count", command="StartInstance", batch="yes") == 1
    assert more("bpm_execution_seconds_count", command="CompleteExternalTask", batch="no") == 1
    assert 1 <= more("bpm_statements_total", command="CompleteExternalTask", batch="no") <= 20
    assert more("bpm_instances_ended_total", status="COMPLETED") == 1


def test_what_was_remembered_wrongly_is_counted(transactional_db: None, scraper: Client) -> None:
    deploy(process("p"))
    before = scrape(scraper)
    # What other tests have let this process remember wrongly is counted already.
    memory.wrong = command_metrics()._wrong + 2
    try:
        engine.start("p")
    finally:
        memory.wrong = 0
    after = scrape(scraper)
    name = "bpm_decisions_remembered_wrongly_total"
    assert value(after, name) - value(before, name) == 2


def test_what_is_alive_is_counted_and_what_has_ended_is_not(transactional_db: None, scraper: Client) -> None:
    deploy(process("p", external("t")), process("q", timer("PT1H")), process("gone"))
    engine.start_many([engine.Start(process=key) for key in ("p", "p", "q", "gone")])
    engine.fetch_and_lock("w", topics=["t"], max_tasks=1, lock_ms=10_000)
    found = scrape(scraper)
    assert value(found, "bpm_instances", status="RUNNING") == 3
    assert value(found, "bpm_tokens", status="Waiting") == 3
    assert value(found, "bpm_external_tasks", status="READY") == 1
    assert value(found, "bpm_external_tasks", status="LOCKED") == 1
    assert value(found, "bpm_timers", state="scheduled") == 1
    assert value(found, "bpm_timers_overdue") == 0
    assert ("bpm_instances", frozenset({("status", "COMPLETED")})) not in found


@pytest.mark.parametrize("instances", [1, 30])
def test_reading_takes_the_same_statements_whatever_is_stored(transactional_db: None, instances: int) -> None:
    deploy(process("p", external("t")))
    engine.start_many([engine.Start(process="p") for _ in range(instances)])
    with executed() as found:
        list(StockMetrics().collect())
    assert len(found.statements) == (4 if connection.vendor == "postgresql" else 2)


def test_another_process_is_counted_too_while_it_runs_and_after_its_end(
    transactional_db: None, scraper: Client, tmp_path: Path
) -> None:
    folder = Path(os.environ[process_files.VARIABLE])
    deploy(process("now", timer("PT0S")))
    before = scrape(scraper)
    engine.start("now")
    with Children(tmp_path) as children:
        child = children.start("manage.py", "tick", "--once", PROMETHEUS_MULTIPROC_DIR=str(folder))
        assert child.wait(60) == 0, children.log().read_text()
    assert (folder / f"counter_{child.pid}.db").exists()
    fired = {"command": "FireTimers", "outcome": "done"}
    for _ in range(2):
        after = scrape(scraper)
        assert value(after, "bpm_commands_total", **fired) == value(before, "bpm_commands_total", **fired) + 1
        assert not (folder / f"counter_{child.pid}.db").exists()


def test_the_dashboard_asks_for_metrics_that_exist(transactional_db: None, scraper: Client) -> None:
    deploy(process("p", timer("PT1H")))
    engine.start("p")
    asked = set(re.findall(r"\bbpm_[a-z_]+", DASHBOARD.read_text()))
    registry = command_metrics().registry
    known = {family.name for family in registry.collect()} | {
        family.name for family in StockMetrics().collect()
    }
    known |= {f"{name}{ending}" for name in known for ending in ("_total", "_bucket", "_count", "_sum")}
    known |= {"bpm_loop_age_seconds", "bpm_queue_age_seconds"}
    assert asked
    assert asked <= known
