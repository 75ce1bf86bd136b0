"""The shop's own tests: its rows and the engine's are one transaction. `test_inside_another_project.py` runs them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection, transaction
from django.test import TestCase, TransactionTestCase, tag

from bpm import engine
from bpm.models import (
    Definition,
    ExternalTask,
    HistoryEvent,
    IdempotencyRecord,
    Job,
    ProcessInstance,
    UserTask,
)
from tests.second_project.shop.checkout import ORDER_PROCESS, REMINDER_PROCESS, RETURN_PROCESS, place_order
from tests.second_project.shop.models import Order
from tests.second_project.shop.views import CardRefused


class Undo(Exception):
    """Rolls the host's transaction back."""


@contextmanager
def undone() -> Iterator[None]:
    with suppress(Undo), transaction.atomic():
        yield
        raise Undo


def deploy_order() -> dict[str, Any]:
    return engine.deploy([("order.bpmn", ORDER_PROCESS)])


def sequences(instance: UUID | None) -> list[int]:
    rows = HistoryEvent.objects.filter(instance=instance).order_by("sequence")
    return list(rows.values_list("sequence", flat=True))


def pack(worker: str = "packer") -> list[dict[str, Any]]:
    leased = engine.fetch_and_lock(worker, topics=["pack"], max_tasks=10, lock_ms=60_000)
    items = [{"task_id": task["task_id"], "worker": worker, "lease": task["lease_id"]} for task in leased]
    outcomes = engine.complete_external_tasks(items)
    return [outcome for outcome in outcomes if isinstance(outcome, dict)]


def check(instance: UUID | None) -> dict[str, Any]:
    return engine.complete_task(str(UserTask.objects.get(instance=instance, status="OPEN").id))


class HostTransactions(TransactionTestCase):
    """The engine inside the transaction of its host."""

    def setUp(self) -> None:
        deploy_order()

    def test_both_commit_together(self) -> None:
        with transaction.atomic():
            order = place_order("A1")
            check(order.instance)
            pack()
        call_command("tick", "--once", stdout=StringIO())
        instance = ProcessInstance.objects.get()
        assert instance.status == "COMPLETED"
        assert Order.objects.get().confirmed
        assert sequences(order.instance) == list(range(instance.last_sequence + 1))
        assert Order.objects.get().instance == instance.id

    def test_both_roll_back_together(self) -> None:
        with undone():
            order = place_order("A1")
            check(order.instance)
            pack()
            assert Job.objects.get().status == "READY"
        for model in (Order, ProcessInstance, HistoryEvent, UserTask, ExternalTask, Job):
            assert model._default_manager.count() == 0, model.__name__

    def test_an_undone_command_leaves_the_history_without_a_gap(self) -> None:
        order = place_order("A1")
        before = sequences(order.instance)
        with undone():
            check(order.instance)
        assert sequences(order.instance) == before
        check(order.instance)
        pack()
        after = sequences(order.instance)
        assert after == list(range(len(after)))
        assert Job.objects.get().status == "READY"

    def test_a_savepoint_of_the_host_takes_only_its_part_back(self) -> None:
        with transaction.atomic():
            kept = place_order("A1")
            with undone():
                place_order("A2")
        assert Order.objects.get().number == "A1"
        assert ProcessInstance.objects.get().id == Order.objects.get().instance
        assert ProcessInstance.objects.get().id == kept.instance

    def test_a_refusal_leaves_the_hosts_transaction_usable(self) -> None:
        with transaction.atomic():
            Order.objects.create(number="A1")
            with pytest.raises(engine.errors.TaskNotFound):
                engine.complete_task(str(uuid4()))
            with pytest.raises(engine.errors.DefinitionNotFound):
                engine.start("nothing")
            place_order("A2")
        assert Order.objects.count() == 2
        assert ProcessInstance.objects.count() == 1

    def test_a_deployment_rolls_back(self) -> None:
        with undone():
            other = ORDER_PROCESS.replace(b'process id="order"', b'process id="other"')
            engine.deploy([("other.bpmn", other)])
            engine.start("other")
        assert Definition.objects.get().key == "order"
        with pytest.raises(engine.errors.DefinitionNotFound):
            engine.start("other")

    def test_an_idempotency_key_rolls_back(self) -> None:
        key = engine.Idempotency("shop", "order-A1", "f" * 64)
        with undone():
            engine.start("order", key=key)
        assert IdempotencyRecord.objects.count() == 0
        first = engine.start("order", key=key)
        assert engine.start("order", key=key) == first
        assert ProcessInstance.objects.count() == 1

    def test_a_request_is_one_transaction(self) -> None:
        answer = self.client.get("/orders/A1")
        assert answer.content.decode() == str(ProcessInstance.objects.get().id)
        with pytest.raises(CardRefused):
            self.client.get("/orders/A2?card=refused")
        assert Order.objects.get().number == "A1"
        assert ProcessInstance.objects.count() == 1

    def test_what_is_due_is_found_whatever_the_hosts_time_zone(self) -> None:
        engine.deploy([("reminder.bpmn", REMINDER_PROCESS)])
        engine.start("reminder")
        call_command("tick", "--once", stdout=StringIO())
        assert ProcessInstance.objects.get().status == "COMPLETED"

    def test_another_instance_is_called_when_the_host_commits(self) -> None:
        engine.deploy([("reminder.bpmn", REMINDER_PROCESS), ("return.bpmn", RETURN_PROCESS)])
        with undone():
            engine.start("return")
        assert ProcessInstance.objects.count() == 0
        with transaction.atomic():
            caller = engine.start("return")["instance_id"]
            assert ProcessInstance.objects.count() == 1
        called = ProcessInstance.objects.get(definition_key="reminder")
        assert str(called.parent_instance) == caller
        call_command("tick", "--once", stdout=StringIO())
        assert ProcessInstance.objects.filter(status="COMPLETED").count() == 2

    @tag("postgresql")
    def test_waiting_too_long_for_an_instance_leaves_the_hosts_transaction_usable(self) -> None:
        order = place_order("A1")
        locked, done = threading.Event(), threading.Event()

        def hold() -> None:
            with transaction.atomic():
                ProcessInstance.objects.select_for_update().get()
                locked.set()
                done.wait(60)
            connection.close()

        holder = threading.Thread(target=hold)
        holder.start()
        try:
            assert locked.wait(60)
            with transaction.atomic():
                Order.objects.create(number="A2")
                with pytest.raises(engine.errors.Busy):
                    check(order.instance)
                Order.objects.create(number="A3")
        finally:
            done.set()
            holder.join()
        assert Order.objects.count() == 3
        assert check(order.instance)["status"] == "RUNNING"


class HostTests(TestCase):
    """A test of the host that Django wraps in a transaction and rolls back."""

    def test_the_engine_works_in_it(self) -> None:
        deploy_order()
        order = place_order("A1")
        check(order.instance)
        pack()
        assert Job.objects.get().handler == "service:shop.confirm"


@tag("deferred")
class DeferredTransactions(TransactionTestCase):
    """SQLite as Django sets it up by itself."""

    def test_the_engine_refuses_and_names_the_setting(self) -> None:
        calls: list[Callable[[], object]] = [
            deploy_order,
            lambda: engine.start("order"),
            lambda: engine.complete_task(str(uuid4())),
            lambda: engine.fetch_and_lock("w", topics=["pack"], max_tasks=1, lock_ms=1_000),
            lambda: engine.signal("go"),
        ]
        refused = r'"transaction_mode".*"IMMEDIATE"'
        for call in calls:
            with pytest.raises(ImproperlyConfigured, match=refused):
                call()
            with pytest.raises(ImproperlyConfigured, match=refused), transaction.atomic():
                call()
        assert not ProcessInstance.objects.exists()
