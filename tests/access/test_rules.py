"""Every route, by every role, with every method: who passes is who the table says."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from bpm.access.permissions import Permission, with_implied
from bpm.access.rule import Rule
from tests.access.conftest import token_of
from tests.access.routes import METHODS, NOBODY, Route, routes, unused_rules
from tests.api.caller import Api

NO_RIGHTS = None
ROLES = (*Permission, NO_RIGHTS)
# The view itself looks at more than the table can say.
ASKS_MORE = ("metrics", "admin/")


def _passes(rule: Rule, role: Permission | None) -> bool:
    if not rule.permissions:
        return True
    return role is not None and not with_implied(role).isdisjoint(rule.permissions)


def test_every_route_has_a_rule_and_every_rule_a_route() -> None:
    found = [(route, method) for route in routes() for method in route.methods]
    missing = [f"{method} {route.template}" for route, method in found if route.rule(method) is None]
    assert not missing, "add these to bpm/access/rest_rules.py or page_rules.py"
    bare = [route.template for route in routes() if not route.methods]
    assert not bare, "no method of these has a rule"
    assert len({route.template for route in routes()}) > 80
    print(f"{len(found)} of {len(found)} methods of {len(routes())} routes have a rule: 100 %")
    assert unused_rules() == set()


def test_addresses_are_made_of_routes() -> None:
    by_template = {route.template: route for route in routes()}
    cancel = by_template["api/v1/process-instances/<str:instance_id>/cancel"]
    assert cancel.address() == f"/api/v1/process-instances/{NOBODY}/cancel"
    assert cancel.address(instance_id="7") == "/api/v1/process-instances/7/cancel"
    assert any(route.template.startswith("admin/auth/user/") for route in routes())


def _role(person: Callable[..., User], role: Permission | None) -> User:
    return person("somebody", *([role] if role else []), staff=role is Permission.ADMINISTER)


@pytest.mark.parametrize("role", ROLES)
def test_the_api_lets_pass_whom_the_table_names(person: Callable[..., User], role: Permission | None) -> None:
    api = token_of(_role(person, role))
    wrong = []
    for route in routes():
        if not route.of_api:
            continue
        for method in route.methods:
            rule = route.rule(method)
            assert rule is not None
            # Without a worker unlocking is an operator's act, which the body says.
            body = {"worker_id": "w"} if route.template.endswith("/unlock") else {}
            answer = api.send_as(method, route.address().removeprefix("/api/v1"), body)
            if (answer.status != 403) != _passes(rule, role) or answer.status >= 500:
                wrong.append(f"{method} {route.template}: {answer.status}")
    assert not wrong


def test_the_api_lets_nobody_pass_without_credentials(db: None) -> None:
    api = Api(Client())
    for route in routes():
        for method in route.methods if route.of_api else ():
            rule = route.rule(method)
            status = api.send_as(method, route.address().removeprefix("/api/v1"), {}).status
            assert rule is not None
            assert (status == 401) != rule.public, f"{method} {route.template}: {status}"


def _page(client: Client, route: Route, method: str) -> tuple[int, str]:
    answer = client.generic(method, route.address(), headers={"host": "localhost"})
    return answer.status_code, answer.headers.get("Location", "")


# What a page answers to whom does not depend on the database.
@pytest.mark.sqlite
@pytest.mark.parametrize("role", ROLES)
def test_pages_let_pass_whom_the_table_names(person: Callable[..., User], role: Permission | None) -> None:
    client = Client()
    client.force_login(_role(person, role))
    wrong = []
    for route in routes():
        for method in route.methods if not route.of_api else ():
            rule = route.rule(method)
            assert rule is not None
            if rule.public:
                continue
            status, _ = _page(client, route, method)
            refused = status == 403 or (status == 405 and not _passes(rule, role))
            more = route.template.startswith(ASKS_MORE) and status == 403
            if (refused == _passes(rule, role) and not more) or status >= 500:
                wrong.append(f"{method} {route.template}: {status}")
    assert not wrong


def test_pages_send_nobody_in_without_logging_in(db: None) -> None:
    for route in routes():
        for method in METHODS if not route.of_api else ():
            rule = route.rule(method)
            status, place = _page(Client(), route, method)
            if rule is None:
                assert status == 405, f"{method} {route.template}: {status}"
            elif not rule.public:
                assert place.startswith("/accounts/login/?next="), f"{method} {route.template}: {status}"


def test_the_administration_is_for_staff_with_the_permission(person: Callable[..., User]) -> None:
    client = Client()
    client.force_login(person("ada", Permission.ADMINISTER, staff=True))
    assert client.get("/admin/", headers={"host": "localhost"}).status_code == 200
    assert client.get("/admin/auth/user/", headers={"host": "localhost"}).status_code == 200
    for name, permission, staff in (("bob", Permission.ADMINISTER, False), ("cid", Permission.OPERATE, True)):
        client.force_login(person(name, permission, staff=staff))
        assert client.get("/admin/auth/user/", headers={"host": "localhost"}).status_code in (302, 403)
