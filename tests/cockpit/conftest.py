"""Operators at the cockpit, and instances in every state."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from bpm import engine
from bpm.models import UserTask
from tests.cockpit.processes import LATE, ORDER, ORDER_2


@pytest.fixture
def operator(db: None) -> Client:
    """Somebody who may see everything, logged in."""
    user = User.objects.create_superuser("olga", password="-")
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    return client


@pytest.fixture
def page(operator: Client) -> Callable[..., str]:
    """Open a page by its name; it must answer 200."""

    def open_page(name: str, *arguments: object, **parameters: Any) -> str:
        answer = operator.get(reverse(f"cockpit:{name}", args=arguments), parameters)
        assert answer.status_code == 200, answer.content[:2_000]
        return str(answer.content.decode())

    return open_page


@pytest.fixture
def deployed(db: None) -> None:
    """Two versions of a process, and one that starts by itself."""
    engine.deploy([("order.bpmn", ORDER)], actor="ada")
    engine.deploy([("order.bpmn", ORDER_2)], actor="ada")
    engine.deploy([("late.bpmn", LATE)], actor="ada")


@pytest.fixture
def forked(deployed: None) -> str:
    """An instance of version 2 whose join has one of its two flows."""
    instance = start(customer="Grace")
    complete(instance, "check")
    return instance


def start(**variables: Any) -> str:
    """Start an order and return its id."""
    return str(engine.start("order", business_key="A-1", variables=variables, actor="ada")["instance_id"])


def complete(instance: str, node: str, **variables: Any) -> None:
    """Complete the open user task at a node."""
    task = UserTask.objects.get(instance=uuid.UUID(instance), node=node, status="OPEN")
    engine.complete_task(str(task.id), variables=variables, actor="ada")
