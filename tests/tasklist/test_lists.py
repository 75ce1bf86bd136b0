"""The list of tasks: whose, in which order, narrowed, page by page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User

from bpm import engine
from bpm.models import UserTask
from tests.support.clock import next_millisecond
from tests.support.statements import executed
from tests.tasklist.person import Page, Person

NAMES = "//*[@id='board']//a[contains(@class, 'name')]"


def keys(page: Page) -> list[str]:
    assert page.status == 200
    return page.texts("//*[@id='board']//span[@class='of']/b")


@pytest.fixture
def many(order: None) -> list[str]:
    """Five tasks with business keys 0 to 4."""
    for number in range(5):
        engine.start("order", business_key=str(number), variables={"wish": "x", "number": 1})
        next_millisecond()
    return [str(task) for task in UserTask.objects.order_by("id").values_list("id", flat=True)]


def test_tasks_are_mine_to_take_or_all_i_may_see(
    ann: Person, bob: Person, olga: Person, many: list[str]
) -> None:
    engine.claim_task(many[0], user="ann")
    engine.claim_task(many[1], user="bob")
    engine.complete_task(many[2], variables={"amount": 1})
    assert keys(ann.get("/tasks/")) == ["0"]
    assert keys(ann.get("/tasks/?list=groups")) == ["3", "4"]
    assert keys(bob.get("/tasks/?list=groups&sort=oldest")) == ["3", "4", "2"]
    assert keys(ann.get("/tasks/?list=all")) == ["0", "3", "4"]
    assert keys(olga.get("/tasks/?list=all&sort=oldest")) == ["0", "1", "3", "4", "2"]


def test_a_superusers_own_groups_count_as_anyones(
    person_named: Callable[..., Person], many: list[str]
) -> None:
    root = person_named("root", "shippers")
    User.objects.filter(username="root").update(is_superuser=True)
    engine.complete_task(many[2], variables={"amount": 1})
    assert keys(root.get("/tasks/?list=groups")) == ["2"]
    ship = str(UserTask.objects.get(status="OPEN", node="ship").id)
    page = root.open(ship)
    assert root.send(ship, "complete", page).status in (302, 200)
    assert UserTask.objects.get(id=ship).status == "COMPLETED"
    assert keys(root.get("/tasks/?list=groups")) == []


@pytest.mark.parametrize("few", [0, 3, 10_000])
def test_small_and_large_sets_lead_to_the_same_lists(
    ann: Person, bob: Person, many: list[str], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bpm.queries.few.FEW", few)
    engine.claim_task(many[1], user="bob")
    engine.complete_task(many[2], variables={"amount": 1})
    assert keys(ann.get("/tasks/?list=groups&sort=oldest")) == ["0", "3", "4"]
    assert keys(bob.get("/tasks/?list=groups&sort=newest")) == ["2", "4", "3", "0"]
    assert keys(bob.get("/tasks/?list=groups&process=order&business_key=3")) == ["3"]
    assert keys(bob.get("/tasks/?list=mine&business_key=1")) == ["1"]
    assert keys(bob.get("/tasks/?list=groups&process=other")) == []
    page = bob.get("/tasks/?list=groups")
    assert page.texts("//*[contains(@class, 'tabs')]//a[@aria-current]")[0].endswith("4")


def test_an_order_is_kept_over_pages(ann: Person, many: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cockpit.tasklist.lists.PAGE", 2)
    for number, task in enumerate(many):
        due = datetime(2027, 1, 9 - number // 2, tzinfo=UTC) if number else None
        engine.update_task(task, changes={"priority": number % 3 - 1, "due_at": due})
    expected = {"due": "42310", "priority": "25"[:1] + "14" + "03", "oldest": "01234", "newest": "43210"}
    expected["due"] = "4" + "23" + "1" + "0"
    for sort, order in expected.items():
        seen: list[str] = []
        address = f"/tasks/?list=groups&sort={sort}"
        while address:
            page = ann.get(address)
            seen += keys(page)
            following = page.tree.xpath("//a[@rel='next']/@href")
            address = f"/tasks/{following[0]}" if following else ""
        assert "".join(seen) == order, sort


def test_filters_narrow(ann: Person, many: list[str]) -> None:
    engine.deploy([("free.bpmn", _free())])
    engine.start("free")
    engine.update_task(
        many[1], changes={"due_at": datetime(2020, 1, 1, tzinfo=UTC), "name": "ÜBERPRÜFEN 100%"}
    )
    engine.update_task(many[2], changes={"follow_up_at": datetime(2999, 1, 1, tzinfo=UTC)})
    assert keys(ann.get("/tasks/?list=groups&business_key=3")) == ["3"]
    assert keys(ann.get("/tasks/?list=groups&overdue=1")) == ["1"]
    assert keys(ann.get("/tasks/?list=groups&text=100%25")) == ["1"]
    assert keys(ann.get("/tasks/?list=groups&process=free")) == []
    assert keys(ann.get("/tasks/?list=groups&sort=oldest")) == ["0", "1", "3", "4"]
    assert keys(ann.get("/tasks/?list=groups&sort=oldest&later=1")) == ["0", "1", "2", "3", "4"]
    assert "No task fits these filters" in ann.get("/tasks/?list=groups&business_key=none").text


def _free() -> bytes:
    from tests.tasklist.definitions import FREE

    return FREE


@pytest.mark.parametrize("cursor", ["x", "LR8", "%00", "a" * 2000])
def test_a_cursor_of_another_list_is_nothing(ann: Person, many: list[str], cursor: str) -> None:
    assert ann.get(f"/tasks/?list=groups&sort=due&cursor={cursor}").status == 404


def test_odd_queries_are_defaults(ann: Person, many: list[str]) -> None:
    page = ann.get("/tasks/?list=%00&sort=drop&process=%00&text=%27%3B--&overdue=maybe")
    assert page.status == 200


def test_pages_take_the_same_statements_however_many_tasks_there_are(ann: Person, many: list[str]) -> None:
    addresses = (
        "/tasks/?list=groups",
        "/tasks/?list=all&sort=priority",
        f"/tasks/{many[0]}/",
        "/tasks/start/",
    )
    counts = {}
    for address in addresses:
        ann.get(address)
        with executed() as found:
            ann.get(address)
        counts[address] = len(found.statements)
    for number in range(10):
        engine.start("order", business_key=f"m{number}", variables={"wish": "x", "number": 1})
        engine.comment_task(many[0], message=f"comment {number}", actor="bob")
    for address in addresses:
        with executed() as found:
            ann.get(address)
        assert len(found.statements) == counts[address] <= 11, found.statements


def test_a_refresh_that_finds_nothing_new_says_so(ann: Person, many: list[str]) -> None:
    page = ann.get("/tasks/?list=groups")
    (address,) = page.tree.xpath("//*[@id='board']/@hx-get")
    same = ann.get(f"/tasks/{address}", **{"hx-request": "true", "hx-target": "board"})
    assert (same.status, same.text) == (204, "")
    engine.claim_task(many[0], user="bob")
    changed = ann.get(f"/tasks/{address}", **{"hx-request": "true", "hx-target": "board"})
    assert changed.status == 200
    assert "<html" not in changed.text
    assert len(changed.texts(NAMES)) == 4


def test_new_tasks_are_told(ann: Person, many: list[str]) -> None:
    page = ann.get("/tasks/")
    (address,) = page.tree.xpath("//*[@id='news']/@hx-get")
    assert ann.get(address).status == 204
    engine.start("order", variables={"wish": "x", "number": 1})
    told = ann.get(address)
    assert "1 new task for you" in told.text
    (address,) = told.tree.xpath("//*[@id='news']/@hx-get | self::*[@id='news']/@hx-get")
    assert ann.get(address).status == 204
    assert ann.get("/tasks/news/?since=nonsense").status == 204
