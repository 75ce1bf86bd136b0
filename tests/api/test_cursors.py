"""A cursor belongs to the list that gave it."""

from __future__ import annotations

import re
from itertools import permutations
from uuid import UUID

import pytest

from api.openapi import document
from bpm import engine
from bpm.models import UserTask
from bpm.queries.page import CursorInvalid
from bpm.queries.task_list import SORTS, TaskListFilter, Viewer, list_tasks_for
from tests.api.caller import Api
from tests.api.definitions import END, START, bpmn, line

pytestmark = pytest.mark.usefixtures("deployed")
LATER = bpmn(
    "later", START + '<userTask id="a" camunda:asyncBefore="true"/>' + END + line("start", "a", "end")
)


@pytest.fixture
def lists(api: Api) -> list[str]:
    """All lists of the API, each with at least two items; of lists that belong to one thing, those of two things."""
    engine.deploy([("later.bpmn", LATER)])
    for _ in range(2):
        for process in ("later", "waiting", *["payment-flow"] * 2):
            api.start(process)
    instances = [api.start("approval") for _ in range(2)]
    for leased in api.fetch(max_tasks=2):
        engine.fail_external_task(leased["task_id"], worker="w1", error="broken", retries=0)
    tasks = [str(UserTask.objects.get(instance=UUID(instance)).id) for instance in instances]
    for task in tasks * 2:
        api.post(f"/tasks/{task}/comments", {"message": "hm"}).ok(201)
    return [
        *("/process-instances", "/process-definitions", "/retention-rules", "/incidents", "/dead-letters"),
        *("/jobs", "/timers", "/tasks", "/tasks?type=user", "/tasks?type=external"),
        *(f"/tasks/{task}/comments" for task in tasks),
        *(f"/process-instances/{one}/{what}" for one in instances for what in ("history", "trace")),
    ]


def test_every_list_refuses_the_cursors_of_every_other(api: Api, lists: list[str]) -> None:
    following = {path: api.get(_with(path, limit="1")).ok()["next"] for path in lists}
    assert all(following.values()), following
    for path, cursor in following.items():
        assert api.get(_with(path, cursor=cursor)).status == 200, path
    for giving, asked in permutations(lists, 2):
        answer = api.get(_with(asked, cursor=following[giving]))
        assert (answer.status, answer.body.get("code")) == (400, "CursorInvalid"), (giving, asked)


def test_no_list_of_the_api_is_left_out(lists: list[str]) -> None:
    paged = {
        re.sub(r"\{\w+\}", "*", path.removeprefix("/api/v1"))
        for path, methods in document()["paths"].items()
        for one in methods.get("get", {}).get("parameters", ())
        if (one["name"], one["schema"]["type"]) == ("cursor", "string")
    }
    assert paged == {re.sub(r"/[0-9a-f-]{36}", "/*", path.partition("?")[0]) for path in lists}


def test_the_task_list_refuses_the_cursors_of_its_other_orders(api: Api, lists: list[str]) -> None:
    viewer, chosen = Viewer(user="olga"), TaskListFilter(which="all")
    following = {sort: list_tasks_for(viewer, chosen, tenant="", sort=sort, limit=1).next for sort in SORTS}
    assert all(following.values())
    for giving, asked in permutations(SORTS, 2):
        with pytest.raises(CursorInvalid):
            list_tasks_for(viewer, chosen, tenant="", sort=asked, cursor=following[giving])


@pytest.mark.parametrize("priority", [2**63 - 1, -(2**63) + 1])
def test_the_largest_priorities_are_paged(api: Api, priority: int) -> None:
    for _ in range(2):
        api.start("approval")
    UserTask.objects.update(priority=priority)
    viewer, chosen = Viewer(user="olga"), TaskListFilter(which="all")
    first = list_tasks_for(viewer, chosen, tenant="", sort="priority", limit=1)
    rest = list_tasks_for(viewer, chosen, tenant="", sort="priority", cursor=first.next)
    assert len({row.task_id for row in (*first.items, *rest.items)}) == 2


def test_the_longest_key_of_a_process_makes_a_cursor_that_is_taken(api: Api) -> None:
    longest = "𐐀" * 255
    engine.deploy([("p.bpmn", bpmn(longest, START + END + line("start", "end")))])
    for path in ("/process-definitions", "/retention-rules"):
        found = api.get(path, limit=1).ok()
        while found["next"]:
            found = api.get(path, limit=1, cursor=found["next"]).ok()
        assert found["items"][0]["process_def_id"] == longest


def _with(path: str, **query: str) -> str:
    given = "&".join(f"{name}={value}" for name, value in query.items())
    return f"{path}{'&' if '?' in path else '?'}{given}"
