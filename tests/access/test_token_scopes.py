"""Tokens that are for less than their user may."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from knox.models import AuthToken

from bpm import engine
from bpm.access.models import TokenScope
from bpm.access.permissions import Permission
from tests.access.conftest import token_of
from tests.api.caller import Api
from tests.api.definitions import EVERY

pytestmark = pytest.mark.usefixtures("deployed")


@pytest.fixture
def machine(person: Callable[..., User]) -> User:
    """An account that may start, see and work."""
    return person("machine", Permission.START, Permission.VIEW, Permission.WORK)


def test_several_tokens_of_one_user_are_apart(machine: User) -> None:
    starts, works = token_of(machine, permissions=["start"]), token_of(machine, permissions=["work"])
    starts.start("payment-flow")
    starts.post("/external-tasks/fetch-and-lock", {"worker_id": "w", "task_types": ["payment"]}).problem(
        403, "NotAllowed"
    )
    assert len(works.fetch()) == 1
    works.post("/process-instances", {"process_def_id": "minimal"}).problem(403, "NotAllowed")
    AuthToken.objects.filter(scope__permissions=["work"]).delete()
    works.get("/tasks").problem(401, "NotAuthenticated")
    starts.start("minimal")


def test_a_token_gives_nothing_that_its_user_has_not(machine: User) -> None:
    token = token_of(machine, permissions=["operate", "administer"])
    instance = str(engine.start("approval")["instance_id"])
    token.post(f"/process-instances/{instance}/cancel").problem(403, "NotAllowed")
    # What the token allows includes viewing, and that the user may.
    token.get("/process-instances").ok()


def test_a_superusers_token_can_be_narrow(db: None) -> None:
    token = token_of(User.objects.create_superuser("root"), permissions=["view"])
    instance = str(engine.start("approval")["instance_id"])
    token.get(f"/process-instances/{instance}").ok()
    token.post(f"/process-instances/{instance}/cancel").problem(403, "NotAllowed")


def test_topics_are_narrowed(machine: User) -> None:
    engine.start("payment-flow")
    token = token_of(machine, topics=["mail"])
    token.post("/external-tasks/fetch-and-lock", {"worker_id": "w", "task_types": ["payment"]}).problem(
        403, "NotAllowed"
    )
    assert len(token_of(machine, topics=["mail", "payment"]).fetch()) == 1
    assert len(token_of(machine, topics=[]).get("/process-instances").items) == 1


def test_no_permissions_is_none_at_all(machine: User) -> None:
    token_of(machine, permissions=[]).get("/tasks").problem(403, "NotAllowed")


def test_a_token_may_be_for_one_tenant(person: Callable[..., User]) -> None:
    engine.deploy(list(EVERY.items()), tenant="acme")
    user = person("both", Permission.START, tenants=("", "acme"))
    token = token_of(user, tenant="acme")
    assert token.post("/process-instances", {"process_def_id": "minimal"}).ok(201)
    token.but(**{"x-tenant-id": "acme"}).start("minimal")
    token.but(**{"x-tenant-id": "other"}).get("/process-definitions").problem(403, "NotAllowed")
    token_of(user, tenant="other").get("/process-definitions").problem(403, "NotAllowed")


class TestCommand:
    """`manage.py create_token` with a scope."""

    @staticmethod
    def _create(*arguments: str) -> Api:
        out = StringIO()
        call_command("create_token", "machine", *arguments, stdout=out)
        return Api(Client(), authorization=f"Token {out.getvalue().strip()}")

    def test_the_scope_is_kept_with_the_token(self, machine: User) -> None:
        token = self._create(
            *("--permission", "work", "--permission", "view", "--topic", "mail", "--label", "mailer"),
            *("--requests-per-minute", "100", "--open-polls", "2", "--expiry", "7"),
        )
        scope = TokenScope.objects.get()
        assert (scope.permissions, scope.topics, scope.label) == (["work", "view"], ["mail"], "mailer")
        assert (scope.requests_per_minute, scope.open_polls, scope.tenant) == (100, 2, None)
        assert scope.token.expiry - scope.token.created > timedelta(days=6)
        token.get("/process-instances").ok()
        token.post("/process-instances", {"process_def_id": "minimal"}).problem(403, "NotAllowed")

    def test_without_a_scope_there_is_none(self, machine: User) -> None:
        self._create().start("minimal")
        assert not TokenScope.objects.exists()

    def test_an_unknown_group_makes_nothing(self, machine: User) -> None:
        with pytest.raises(CommandError, match="BPM operators"):
            self._create("--group", "kings")
        assert not AuthToken.objects.exists()
