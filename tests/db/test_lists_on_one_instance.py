"""Lists of commands that find the same instance by rows of several tables (semantics §11)."""

from __future__ import annotations

from itertools import permutations

import pytest

from bpm import engine
from bpm.core import commands as c
from bpm.core import operations as o
from bpm.core.errors import Suspended
from bpm.models import ExternalTask, ProcessInstance, Timer, UserTask
from bpm.shell.execute import execute_many
from bpm.shell.outcome import Done
from bpm.shell.requests import Request
from bpm.shell.verifying import verify_instances
from tests.support.believing import deploy
from tests.support.kept import forget_all

pytestmark = pytest.mark.django_db(transaction=True)

FORK = (
    "start s -> f\npar f -> a, b, c\nuser a -> j\nexternal b topic=t -> j\ntimer c duration=PT1H -> j\n"
    "par j -> e\nend e"
)


def begin() -> tuple[str, dict[str, c.Command]]:
    """Start an instance; return it, and a command for each of its three branches."""
    instance = str(engine.start("p")["instance_id"])
    engine.fetch_and_lock("w", topics=["t"], max_tasks=1, lock_ms=60_000)
    user, external, timer = (
        str(model.objects.get(instance__id=instance).pk) for model in (UserTask, ExternalTask, Timer)
    )
    return instance, {
        "user": c.CompleteUserTask(task=user),
        "external": c.CompleteExternalTask(task=external, worker="w"),
        "timer": o.FireTimer(timer=timer),
    }


def sound(instance: str) -> None:
    assert [finding for found in verify_instances([instance]) for finding in found.findings] == []


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("order", [*permutations(["user", "external", "timer"])])
def test_all_branches_of_a_fork_end_in_one_list(order: tuple[str, ...], known: bool) -> None:
    deploy(FORK)
    instance, commands = begin()
    if not known:
        forget_all()
    outcomes = execute_many([Request(commands[name]) for name in order])
    assert [one.status for one in outcomes if isinstance(one, Done)] == ["RUNNING", "RUNNING", "COMPLETED"]
    assert ProcessInstance.objects.get(pk=instance).status == "COMPLETED"
    sound(instance)


@pytest.mark.parametrize("known", [True, False])
def test_commands_are_carried_out_in_the_order_of_the_list(known: bool) -> None:
    deploy(FORK)
    instance, commands = begin()
    listed = [
        Request(commands["user"]),
        Request(o.SuspendInstance(), instance=instance),
        Request(commands["external"]),
        Request(o.ActivateInstance(), instance=instance),
        Request(commands["timer"]),
    ]
    if not known:
        forget_all()
    outcomes = execute_many(listed)
    assert [type(one) for one in outcomes] == [Done, Done, Suspended, Done, Done]
    sound(instance)


@pytest.mark.parametrize("known", [True, False])
def test_a_task_says_whether_its_instance_is_suspended_whatever_else_has_changed(known: bool) -> None:
    deploy("start s -> b\nexternal b topic=t -> e\nend e")
    instance = str(engine.start("p")["instance_id"])
    (leased,) = engine.fetch_and_lock("w", topics=["t"], max_tasks=1, lock_ms=60_000)
    task = leased["task_id"]
    for listed, told in (
        ([c.UnlockExternalTask(task=task, worker="w"), o.SuspendInstance()], ("READY", True)),
        (
            [o.ActivateInstance(), c.LockExternalTasks(tasks=(task,), worker="v", lock_ms=60_000)],
            ("LOCKED", False),
        ),
    ):
        if not known:
            forget_all()
        outcomes = execute_many([Request(command, instance=instance) for command in listed])
        assert [type(one) for one in outcomes] == [Done, Done]
        row = ExternalTask.objects.get(pk=task)
        assert (row.status, row.suspended) == told
        sound(instance)
