"""Two people at one task at the same moment."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connections
from django.test import Client

from bpm import engine
from bpm.models import HistoryEvent, UserTask
from tests.tasklist.definitions import ORDER
from tests.tasklist.person import Page, Person
from tests.tasklist.test_completing import GOOD


def _person(name: str) -> Person:
    user = User.objects.create_user(name, password="-")
    user.user_permissions.set(Permission.objects.filter(content_type__app_label="bpm", codename="complete"))
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    return Person(name, client)


def _both(people: list[Person], task: str, what: str, **typed: Any) -> dict[str, Page]:
    opened = {person.name: person.open(task) for person in people}
    together = Barrier(len(people))

    def send(person: Person) -> Page:
        try:
            together.wait(60)
            return person.send(task, what, opened[person.name], **typed, **{"v-reason": person.name})
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(people)) as pool:
        return dict(zip(opened, pool.map(send, people), strict=True))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", ["complete", "claim"])
def test_one_wins_and_the_other_keeps_the_text(what: str) -> None:
    people = [_person("ann"), _person("bob")]
    engine.deploy([("order.bpmn", ORDER)])
    for _ in range(3):
        engine.start("order", variables={"wish": "x", "number": 1})
    for task in [str(one) for one in UserTask.objects.values_list("id", flat=True)]:
        pages = _both(
            people, task, what, **{name: value for name, value in GOOD.items() if name != "v-reason"}
        )
        lost = [name for name, page in pages.items() if page.status == 409]
        won = [name for name, page in pages.items() if page.status in (200, 302)]
        assert (len(lost), len(won)) == (1, 1), {name: page.status for name, page in pages.items()}
        assert pages[lost[0]].value("v-reason") == lost[0]
        assert pages[lost[0]].texts("//*[@role='alert']")
        happened = "UserTaskCompleted" if what == "complete" else "UserTaskClaimed"
        events = HistoryEvent.objects.filter(
            event_type=happened, instance_id=UserTask.objects.get(id=task).instance_id
        )
        assert [event.actor for event in events] == won
