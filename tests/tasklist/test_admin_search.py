"""What the administration's lists find, and that they find it by indexes."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import Q
from django.test import Client
from django.urls import reverse

from bpm import engine
from bpm.admin import searching
from bpm.admin.searching import having_id
from bpm.models import (
    Comment,
    Definition,
    Incident,
    Job,
    ParallelJoinState,
    ProcessInstance,
    Scope,
    Token,
    UserTask,
    UserTaskCandidate,
)
from tests.support.between import END, START, call, deploy, process, start, user
from tests.support.clock import next_millisecond
from tests.support.database_host import DatabaseHost
from tests.support.play import Case, Play
from tests.support.proof import rich_case
from tests.support.statements import executed

_SEARCHED: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (Token, ("pk", "instance", "scope", "parallel_group", "join", "called")),
    (Scope, ("pk", "instance", "parent", "outer_token")),
    (ParallelJoinState, ("pk", "instance", "scope", "group")),
    (UserTask, ("pk", "instance", "token")),
    (Comment, ("pk", "task", "instance")),
    (Incident, ("pk", "instance", "token")),
    (Job, ("pk", "instance", "token")),
    (ProcessInstance, ("pk", "definition", "root", "parent_instance")),
    (Definition, ("pk", "deployment", "resource")),
)


@pytest.fixture
def case(transactional_db: None) -> Case:
    return rich_case(Play(DatabaseHost(checked=False)))


@pytest.fixture
def root(transactional_db: None) -> Client:
    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.create_superuser("root", password="-"))
    return client


@pytest.mark.parametrize(("model", "fields"), _SEARCHED, ids=[model.__name__ for model, _ in _SEARCHED])
def test_every_row_is_found_by_every_id_in_it(case: Case, model: Any, fields: tuple[str, ...]) -> None:
    rich_case(Play(DatabaseHost(checked=False)))
    wanted = {value for row in model.objects.values_list(*fields) for value in row if value is not None}
    assert wanted or model in (Comment, Incident, Job)
    for one in [*wanted, uuid.uuid4()]:
        whole = Q()
        for name in fields:
            whole |= Q(**{name: one})
        expected = set(model.objects.filter(whole).values_list("pk", flat=True))
        with executed() as found:
            rows = list(having_id(model.objects.all(), fields, one).values_list("pk", flat=True))
        assert set(rows) == expected, one
        assert len(found.statements) <= 10


def test_candidates_are_found_by_instance_and_task(case: Case) -> None:
    other = rich_case(Play(DatabaseHost(checked=False)))
    for one in (case, other):
        mine = set(UserTaskCandidate.objects.filter(instance__id=one.id).values_list("pk", flat=True))
        assert mine
        found = having_id(UserTaskCandidate.objects.all(), ("task", "instance"), uuid.UUID(one.id))
        assert set(found.values_list("pk", flat=True)) == mine
    task = UserTaskCandidate.objects.filter(instance__id=case.id).values_list("task", flat=True)[0]
    found = having_id(UserTaskCandidate.objects.all(), ("task", "instance"), task)
    assert set(found.values_list("task", flat=True)) == {task}


def test_a_called_instance_leads_to_the_token_that_called_it(transactional_db: None) -> None:
    deploy(
        process("parent", START, call("c", "child"), END, line="s c e"),
        process("child", START, user("work"), END, line="s work e"),
    )
    start("parent")
    called = ProcessInstance.objects.get(parent_instance__isnull=False)
    found = having_id(Token.objects.all(), ("pk", "instance", "called"), called.id)
    assert set(found.values_list("node", flat=True)) >= {"c", "work"}


def test_filters_and_values_look_at_the_newest_rows(
    case: Case, root: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    oldest = str(ProcessInstance.objects.order_by("id")[0].id)
    engine.deploy([("more.bpmn", _MORE)])
    newest = []
    for _ in range(4):
        next_millisecond()
        newest.append(str(engine.start("more")["instance_id"]))
    address = reverse("admin:bpm_processinstance_changelist")
    assert oldest in root.get(address, {"status": "RUNNING"}).content.decode()
    monkeypatch.setattr(searching, "NEWEST", 3)
    narrowed = root.get(address, {"status": "RUNNING"}).content.decode()
    assert oldest not in narrowed
    assert all(one in narrowed for one in newest[1:])
    assert newest[0] not in root.get(address, {"q": "more"}).content.decode()
    assert oldest in root.get(address, {"q": oldest, "status": "RUNNING"}).content.decode()
    assert oldest in root.get(address).content.decode()
    assert root.get(reverse("admin:bpm_processinstance_change", args=[oldest])).status_code == 200


_MORE = (
    b'<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="urn:t">'
    b'<process id="more" isExecutable="true"><startEvent id="s"/><userTask id="u"/><endEvent id="e"/>'
    b'<sequenceFlow id="a" sourceRef="s" targetRef="u"/><sequenceFlow id="b" sourceRef="u" targetRef="e"/>'
    b"</process></definitions>"
)
