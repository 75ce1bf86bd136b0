"""Accounts with exactly one permission each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from knox.models import AuthToken

from bpm import engine
from bpm.access.groups import create_groups
from bpm.access.models import Grant, Membership, TokenScope
from bpm.access.permissions import DEFAULT_GROUPS, Permission
from tests.api.caller import Api
from tests.api.definitions import EVERY

Make = Callable[..., Api]


def token_of(user: User, **scope: Any) -> Api:
    """Return a caller with a new token of the user, narrowed as said."""
    token, key = AuthToken.objects.create(user)
    if scope:
        TokenScope.objects.create(token=token, **scope)
    return Api(Client(), authorization=f"Token {key}")


@pytest.fixture
def groups(db: None) -> dict[Permission, Group]:
    """The default groups by their permission."""
    by_name = {group.name: group for group in create_groups()}
    return {permission: by_name[name] for name, held in DEFAULT_GROUPS.items() for permission in held}


@pytest.fixture
def person(groups: dict[Permission, Group]) -> Callable[..., User]:
    """Make users with some default groups, grants and tenants."""

    def make(
        name: str,
        *permissions: Permission,
        grants: list[dict[str, Any]] | None = None,
        tenants: tuple[str, ...] = (),
        staff: bool = False,
    ) -> User:
        user = User.objects.create_user(name, password="-", is_staff=staff)
        user.groups.add(*(groups[one] for one in permissions))
        Grant.objects.bulk_create(Grant(user=user, **grant) for grant in grants or [])
        Membership.objects.bulk_create(Membership(user=user, tenant=tenant) for tenant in tenants)
        return user

    return make


@pytest.fixture
def caller(person: Callable[..., User]) -> Make:
    """Make callers with a token; the arguments are those of `person`."""

    def make(name: str, *permissions: Permission, **more: Any) -> Api:
        return token_of(person(name, *permissions, **more))

    return make


@pytest.fixture
def deployed(db: None) -> None:
    """All definitions, in the default tenant."""
    engine.deploy(list(EVERY.items()), name="tests")
