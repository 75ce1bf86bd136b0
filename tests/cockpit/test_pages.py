"""What the cockpit's pages show in each state of the engine."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from bpm import engine
from bpm.models import Definition, HistoryEvent
from tests.cockpit.conftest import complete, start

Page = Callable[..., str]


def definition(key: str = "order", version: int = 2) -> Definition:
    return Definition.objects.get(key=key, version=version)


def fail(instance: str) -> None:
    (task,) = engine.fetch_and_lock("w1", topics=["payment"], max_tasks=1, lock_ms=60_000)
    engine.fail_external_task(task["task_id"], worker="w1", error="card <i>declined</i>", retries=0)


def test_an_empty_engine_says_what_to_do(page: Page) -> None:
    assert "Nothing is deployed yet" in page("overview")
    assert "No loop runs" in page("overview")
    assert "No instance yet" in page("instances")
    assert "No incident is open" in page("incidents")
    assert "Nothing is deployed yet" in page("definitions")


def test_the_overview_counts_per_version(page: Page, deployed: None) -> None:
    """P103: versions are counted apart, and to the end."""
    many = 101
    for _ in range(many):
        engine.start("order", version=1)
    start()
    html = page("overview")
    assert f"{many} more instances run in older versions" in html
    rows = page("definitions", process="order")
    v1, v2 = (f"process=order&amp;version={version}&amp;status=RUNNING" for version in (1, 2))
    assert f'{v1}">{many}</a>' in rows
    assert f'{v2}">1</a>' in rows


def test_an_instance_shows_its_join_and_what_it_waits_for(page: Page, forked: str) -> None:
    html = page("instance", forked)
    assert "1 of 2 arrived" in html
    assert "pay_join" in html
    assert "can still come:" in html
    assert "A worker fetches the task and completes it." in html


def test_texts_of_models_and_variables_are_escaped(page: Page, deployed: None) -> None:
    instance = start(note="<script>alert(1)</script>")
    fail(instance)
    shown = [
        page(name, instance) for name in ("instance", "variables", "work", "history", "timeline", "replay")
    ]
    shown += [page("incidents"), page("overview"), page("definition", definition().id)]
    shown.append(page("snapshot", instance, 5))
    for html in shown:
        assert "<b>it</b>" not in html
        assert "<script>alert" not in html
        assert "<i>declined" not in html
    assert "card &lt;i&gt;declined" in shown[0]


def test_a_failed_instance_names_its_incident(page: Page, deployed: None) -> None:
    instance = start()
    fail(instance)
    for html in (page("instance", instance), page("incidents"), page("overview")):
        assert "ExternalTaskFailed" in html
    assert "The incident is resolved by a retry." in page("instance", instance)


def test_an_ended_instance_keeps_its_past_and_asks_no_more(page: Page, forked: str) -> None:
    assert 'hx-trigger="every' in page("instance", forked)
    engine.cancel(forked, actor="olga")
    html = page("instance", forked)
    assert "The instance was cancelled." in html
    assert 'hx-trigger="every' not in html
    assert "TokenTerminated" in page("history", forked, type="TokenTerminated")


def test_the_history_is_narrowed_and_paged(page: Page, forked: str) -> None:
    html = page("history", forked, category="variable")
    assert "VariableSet" in html
    assert "<summary>TokenArrived" not in html
    token = HistoryEvent.objects.filter(instance=uuid.UUID(forked), node="check").values_list(
        "token", flat=True
    )[0]
    assert "UserTaskCompleted" in page("history", forked, token=str(token))
    assert "This is no token" in page("history", forked, token="nonsense")
    assert "No event matches" in page("history", forked, type="Nothing")


def test_variables_keep_every_digit(page: Page, deployed: None) -> None:
    """P85: numbers above 2^53 are shown as they are."""
    instance = start(big=9007199254740993, nested={"list": [1, 2]})
    html = page("variables", instance)
    assert "9007199254740993" in html
    assert "{&quot;list&quot;:[1,2]}" in html


def test_the_work_of_an_instance(page: Page, deployed: None) -> None:
    html = page("work", start())
    assert "Tasks for people" in html
    assert "payment" in html


def test_what_a_worker_has_given_up_is_among_the_work(page: Page, deployed: None) -> None:
    instance = start()
    (task,) = engine.fetch_and_lock("w", topics=["payment"], max_tasks=1, lock_ms=60_000)
    engine.fail_external_task(task["task_id"], worker="w", retries=0, error="Card declined")
    html = page("work", instance)
    assert "Card declined" in html
    assert "Tasks for workers" in html


def test_the_time_line_comes_in_pieces(operator: Client, forked: str) -> None:
    address = reverse("cockpit:timeline_piece", args=[forked])
    whole = json.loads(operator.get(address).content)
    last = HistoryEvent.objects.filter(instance=uuid.UUID(forked)).count() - 1
    assert [step[0] for step in whole["steps"]] == list(range(last + 1))
    assert (whole["status"], whole["more"]) == ("RUNNING", False)
    rest = json.loads(operator.get(address, {"after": last - 2}).content)
    assert [step[0] for step in rest["steps"]] == [last - 1, last]
    assert operator.get(address, {"after": "x"}).status_code == 400


def test_replay_shows_what_was_there_at_a_moment(page: Page, operator: Client, forked: str) -> None:
    first = HistoryEvent.objects.get(instance=uuid.UUID(forked), event_type="VariableSet").sequence
    before, after = page("snapshot", forked, first - 1), page("snapshot", forked, first)
    assert "Grace" not in before
    assert "Grace" in after
    assert f"After event {first}" in after
    beyond = reverse("cockpit:snapshot", args=[forked, 10_000])
    assert operator.get(beyond).status_code == 404


def test_a_definition_shows_tokens_heat_and_what_starts_by_itself(
    page: Page, operator: Client, forked: str
) -> None:
    assert "0 0 6 * * ?" in page("definition", definition("late", 1).id)
    live = json.loads(page("live", definition().id))
    assert sorted(live["nodes"]) == [["join", "Waiting", 1], ["pay", "Waiting", 1]]
    heat = json.loads(page("heat", definition().id))
    assert {one["node_id"]: one["passes"] for one in heat["nodes"]}["check"] == 1
    assert b"BPMNShape" in operator.get(reverse("cockpit:diagram", args=[definition().id])).content


def test_two_versions_side_by_side(page: Page, operator: Client, deployed: None) -> None:
    html = page("compare", left=definition(version=1).id, right=definition(version=2).id)
    assert "<code>sign</code>" in html
    assert "<code>join_end</code>" in html
    assert operator.get(reverse("cockpit:compare")).status_code == 404


def test_verifying_now(page: Page, forked: str) -> None:
    count = HistoryEvent.objects.filter(instance=uuid.UUID(forked)).count()
    assert f"verified, {count} events" in page("verification", forked)


@pytest.mark.parametrize(
    "name", ["instance", "history", "variables", "work", "timeline", "timeline_piece", "replay"]
)
def test_what_is_not_there_is_404(operator: Client, name: str) -> None:
    for wanted in (str(uuid.uuid4()), "nonsense"):
        answer = operator.get(reverse(f"cockpit:{name}", args=[wanted]))
        assert answer.status_code == 404
        assert "Traceback" not in answer.content.decode()


def test_a_chosen_zone_moves_all_times(operator: Client, forked: str) -> None:
    started = HistoryEvent.objects.get(instance=uuid.UUID(forked), sequence=0).occurred_at
    address = reverse("cockpit:history", args=[forked])
    assert f"{started:%H:%M:%S}" in operator.get(address).content.decode()
    answer = operator.get(reverse("cockpit:zone"), {"zone": "Asia/Kolkata", "next": address})
    assert answer.headers["Location"] == address
    shown = operator.get(address).content.decode()
    assert 'value="Asia/Kolkata"' in shown
    assert (
        operator.get(reverse("cockpit:zone"), {"next": "https://elsewhere.example/"}).headers["Location"]
        == "/"
    )
    assert 'value="UTC"' in operator.get(address).content.decode()


@pytest.mark.parametrize("name", ["nope", "Europe", "../UTC", "/UTC", "zone.tab", "é", "a" * 64, "a" * 65])
def test_a_zone_that_is_none_leaves_the_default(operator: Client, db: None, name: str) -> None:
    """`ZoneInfo` refuses names by errors of three kinds, and the cookie comes with every request."""
    operator.cookies["time_zone"] = name
    assert 'value="UTC"' in operator.get(reverse("cockpit:overview")).content.decode()
    assert operator.get("/api/v1/health").status_code == 200
    answer = operator.get(reverse("cockpit:zone"), {"zone": name, "next": "/cockpit/"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/cockpit/")
    assert answer.cookies["time_zone"].value == ""


def test_completing_the_rest_ends_it(page: Page, forked: str) -> None:
    (task,) = engine.fetch_and_lock("w1", topics=["payment"], max_tasks=1, lock_ms=60_000)
    assert "leased by w1" in page("instance", forked)
    engine.complete_external_task(task["task_id"], worker="w1")
    complete(forked, "sign")
    assert "The instance has run to its end." in page("instance", forked)
