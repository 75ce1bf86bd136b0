"""Callers of the API, and definitions to call it about."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from knox.models import AuthToken

from bpm import engine
from bpm.access.groups import create_groups
from tests.api.caller import Api
from tests.api.definitions import EVERY

EVERYBODY = ("BPM viewers", "BPM starters", "BPM workers", "BPM people")


@pytest.fixture
def caller_named(db: None) -> Callable[..., Api]:
    """Make callers, each a new user with a token of its own: superusers, or who may do all but operate and deploy."""

    def make(name: str, *, staff: bool = False) -> Api:
        user = User.objects.create_user(name, password="-", is_staff=staff, is_superuser=staff)
        if not staff:
            create_groups()
            user.groups.set(Group.objects.filter(name__in=EVERYBODY))
        _, key = AuthToken.objects.create(user)
        return Api(Client(), authorization=f"Token {key}")

    return make


@pytest.fixture
def api(caller_named: Callable[..., Api]) -> Api:
    """An operator."""
    return caller_named("olga", staff=True)


@pytest.fixture
def user(caller_named: Callable[..., Api]) -> Api:
    """Somebody who may neither operate nor deploy."""
    return caller_named("ulf")


@pytest.fixture
def deployed(db: None) -> None:
    """All definitions, in the default tenant."""
    engine.deploy(list(EVERY.items()), name="tests")
