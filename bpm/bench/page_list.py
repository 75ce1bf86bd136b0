"""The pages that are measured, and the people who look at them, in a database that `manage.py seed` has filled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.urls import reverse

from bpm.access.models import Grant
from bpm.models import Definition, ProcessInstance, UserTask
from bpm.queries.constant import Constant
from bpm.queries.task_list import SORTS, WHICH

_ORDER: Final = "seed-order"
_PARTS: Final = ("instance", "history", "variables", "work", "timeline", "timeline_piece", "replay")
_SEARCHES: Final[tuple[dict[str, str], ...]] = (
    {},
    {"status": "live"},
    {"status": "ended"},
    {"status": "RUNNING"},
    {"status": "SUSPENDED"},
    {"status": "FAILED"},
    {"status": "CANCELLED"},
    {"node": "join"},
    {"node": "nowhere"},
    {"incident": "yes"},
    {"process": _ORDER, "version": "1", "status": "RUNNING"},
    {"process": _ORDER, "status": "ended"},
    {"variable": "n", "value": "1"},
    {"variable": "nothing", "value": "1"},
    {"business_key": "nothing"},
)


class Look(NamedTuple):
    """One page as one person opens it."""

    name: str
    who: Client
    address: str


def looks() -> Iterator[Look]:
    """Yield the pages. Makes the people who are not there yet."""
    operator = _person("pages-operator", superuser=True)
    yield from _cockpit("operator", operator)
    yield from _cockpit("viewer of one process", _person("pages-viewer", views="seed-external"))
    yield from _tasks("candidate", _person("pages-candidate", "sales"))
    yield from _tasks("without a task", _person("pages-stranger", "nobody-else"))
    yield from _tasks("superuser", operator)
    yield from _administration(operator)


def _person(name: str, *groups: str, superuser: bool = False, views: str = "") -> Client:
    user, _ = User.objects.get_or_create(username=name)
    user.is_superuser = user.is_staff = superuser
    user.save()
    user.groups.set([Group.objects.get_or_create(name=group)[0] for group in groups])
    if groups:
        mine = Permission.objects.filter(content_type__app_label="bpm", codename__in=("complete", "start"))
        user.user_permissions.set(mine)
    if views:
        Grant.objects.get_or_create(user=user, permission="view", definition_key=views)
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    return client


def _page(name: str, *arguments: Any, **asked: str) -> str:
    address = reverse(name, args=arguments)
    return f"{address}?{urlencode(asked)}" if asked else address


def _cockpit(who: str, client: Client) -> Iterator[Look]:
    def look(name: str, page: str, *arguments: Any, **asked: str) -> Look:
        return Look(f"{who}: {name}", client, _page(f"cockpit:{page}", *arguments, **asked))

    yield look("overview", "overview")
    for asked in _SEARCHES:
        yield look(f"instances {urlencode(asked)}".strip(), "instances", **asked)
    yield look("incidents", "incidents")
    yield look("incidents at a node", "incidents", node="nowhere")
    yield look("definitions", "definitions")
    if who != "operator":
        return
    for key in (_ORDER, "seed-short"):
        version = Definition.objects.filter(key=key).order_by("-version").values_list("id", flat=True)[0]
        for page in ("definition", "live", "heat"):
            yield look(f"{page} {key}", page, version)
    for kind, row in _instances():
        for part in _PARTS:
            yield look(f"{kind}: {part}", part, row.id)
        for cursor in sorted({row.last_sequence, row.last_sequence * 2 // 3}):
            yield look(f"{kind}: replay at {cursor}", "snapshot", row.id, cursor)


def _instances() -> Iterator[tuple[str, ProcessInstance]]:
    rows = ProcessInstance.objects.filter(tenant="", definition_key=_ORDER).order_by("-id")
    yield "running", rows.filter(status=Constant("RUNNING"))[0]
    yield (
        "ended",
        ProcessInstance.objects.filter(tenant="", status=Constant("COMPLETED")).order_by("-id")[100],
    )
    yield "failed", ProcessInstance.objects.filter(tenant="", status=Constant("FAILED")).order_by("-id")[0]
    yield from (("large", row) for row in ProcessInstance.objects.filter(definition_key="seed-large")[:1])


def _tasks(who: str, client: Client) -> Iterator[Look]:
    for which in WHICH:
        for sort in SORTS:
            yield Look(f"{who}: {which} by {sort}", client, _page("tasklist:tasks", list=which, sort=sort))
    for name, asked in (
        ("process", _ORDER),
        ("process", "nothing"),
        ("text", "nothing"),
        ("business_key", "nothing"),
        ("overdue", "1"),
    ):
        address = _page("tasklist:tasks", list="groups", **{name: asked})
        yield Look(f"{who}: groups {name}={asked}", client, address)
    yield Look(f"{who}: start", client, _page("tasklist:processes"))
    oldest = UserTask.objects.filter(tenant="", status=Constant("OPEN")).order_by("id")
    yield Look(f"{who}: news", client, _page("tasklist:news", since=str(oldest[0].id)))
    if who != "without a task":
        review = oldest.filter(node="review")[0]
        yield Look(f"{who}: task", client, _page("tasklist:task", review.id))


def _administration(client: Client) -> Iterator[Look]:
    yield Look("admin: index", client, reverse("admin:index"))
    for kind in filter(admin.site.is_registered, apps.get_models()):
        name = kind._meta.label_lower.replace(".", "_")  # noqa: SLF001 - Django's public _meta
        yield Look(f"admin: {name}", client, reverse(f"admin:{name}_changelist"))
    some = str(UserTask.objects.filter(tenant="", status=Constant("OPEN")).order_by("id")[0].instance_id)
    for model, asked in (
        ("processinstance", {"status": "FAILED"}),
        ("processinstance", {"status": "COMPLETED"}),
        ("processinstance", {"q": "nothing"}),
        ("token", {"status": "Failed"}),
        ("token", {"q": "nowhere"}),
        ("token", {"q": some}),
        ("processinstance", {"q": some}),
        ("usertaskcandidate", {"q": some}),
        ("usertask", {"q": "nobody"}),
        ("externaltask", {"status": "FAILED"}),
    ):
        address = _page(f"admin:bpm_{model}_changelist", **asked)
        yield Look(f"admin: {model} {urlencode(asked)}", client, address)
