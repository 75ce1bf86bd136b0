"""People at the task list."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from bpm import engine
from tests.tasklist import definitions
from tests.tasklist.person import Person


@pytest.fixture
def person_named(db: None) -> Callable[..., Person]:
    """Make people: users who complete and start, or operators, in groups, logged in."""

    def make(name: str, *groups: str, may: tuple[str, ...] = ("complete", "start")) -> Person:
        user = User.objects.create_user(name, password="-")
        for group in groups:
            user.groups.add(Group.objects.get_or_create(name=group)[0])
        found = Permission.objects.filter(content_type__app_label="bpm", codename__in=may)
        assert found.count() == len(may)
        user.user_permissions.set(found)
        client = Client(headers={"host": "localhost"})
        client.force_login(user)
        return Person(name, client)

    return make


@pytest.fixture
def ann(person_named: Callable[..., Person]) -> Person:
    """A candidate of the first task."""
    return person_named("ann")


@pytest.fixture
def bob(person_named: Callable[..., Person]) -> Person:
    """Another candidate, who also ships."""
    return person_named("bob", "shippers")


@pytest.fixture
def olga(person_named: Callable[..., Person]) -> Person:
    """An operator."""
    return person_named("olga", may=("operate",))


@pytest.fixture
def order(db: None) -> None:
    """The process with a start form and a form by formData."""
    engine.deploy([("order.bpmn", definitions.ORDER)])


@pytest.fixture
def started(order: None) -> str:
    """An instance at its first task."""
    answer = engine.start("order", business_key="A-1", variables={"wish": "soon", "number": 7})
    return str(answer["instance_id"])


@pytest.fixture
def check(started: str) -> str:
    """The id of the instance's first task."""
    from bpm.models import UserTask

    return str(UserTask.objects.get(instance=UUID(started), status="OPEN").id)
