"""The engine on the database of the run: every look reads the tables anew, as another process would."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from bpm import engine, handlers
from bpm.core import commands as c
from bpm.core.errors import EngineError, InstanceNotFound, Refused
from bpm.core.graph import Graph
from bpm.core.ids import Id
from bpm.core.instructions import Instruction
from bpm.core.state import State
from bpm.models import Definition, ProcessInstance, Subscription, Timer
from bpm.shell import due
from bpm.shell.clock import frozen
from bpm.shell.definitions import graph_of
from bpm.shell.execute import execute
from bpm.shell.requests import Request
from bpm.shell.topics import Topic
from bpm.shell.verifying import changed_since, verify_each
from tests.support.checking import check_instance, require_nothing
from tests.support.clock import Clock
from tests.support.folding import Recorded, differences
from tests.support.handler_runs import run_due_jobs, run_job
from tests.support.hosts import Handler, HandlerKey, Leased, Receiver, Variables, WaitingStart
from tests.support.kept import kept_differences
from tests.support.model import Model
from tests.support.model_xml import write_xml
from tests.support.stored import StoredInstances, read_history
from tests.support.stored_collection import collect_all

LIMIT = 200
"""Rows of one round of a loop."""


class RegisteredHandlers(MutableMapping[HandlerKey, Handler]):
    """The scenario's handlers, known to the engine by name."""

    def __init__(self) -> None:
        self._own: dict[HandlerKey, Handler] = {}

    def __getitem__(self, key: HandlerKey) -> Handler:
        return self._own[key]

    def __setitem__(self, key: HandlerKey, handler: Handler) -> None:
        self._own[key] = handler
        register = handlers.service if key[0] == "service" else handlers.script
        register(key[1])(lambda work: None)

    def __delitem__(self, key: HandlerKey) -> None:
        del self._own[key]
        handlers.unregister(*key)

    def __iter__(self) -> Iterator[HandlerKey]:
        return iter(list(self._own))

    def __len__(self) -> int:
        return len(self._own)


class DatabaseHost:
    """Implements `Host` through the engine; the database is empty at first."""

    def __init__(self, *, checked: bool = True) -> None:
        self.clock = Clock()
        self.handlers: MutableMapping[HandlerKey, Handler] = RegisteredHandlers()
        self.checked = checked
        self._deployments = 0
        self._stored = StoredInstances()

    def close(self) -> None:
        """Forget the handlers; the verifier must find nothing in what the scenario left."""
        self.handlers.clear()
        collect_all()
        if self.checked:
            found = [str(one) for result in verify_each(changed_since()) for one in result.findings]
            require_nothing("the verifier found something", found)

    # Host

    def deploy(self, *sources: bytes | Model) -> list[str]:
        files = [write_xml(source) if isinstance(source, Model) else source for source in sources]
        self._deployments += 1
        named = [(f"{self._deployments}-{number}.bpmn", data) for number, data in enumerate(files)]
        with self._now():
            answer = engine.deploy(named, name="test", actor="test", duplicate_filtering=False)
        return [row["key"] for row in answer["definitions"] if row["executable"]]

    def start(
        self,
        key: str,
        variables: Variables | None = None,
        *,
        business_key: str | None = None,
        version: int | None = None,
        actor: str = "test",
        instructions: Sequence[Instruction] = (),
    ) -> Id:
        with self._now():
            answer = engine.start(
                key,
                version=version,
                business_key=business_key,
                variables=variables,
                instructions=instructions,
                actor=actor,
            )
        instance = str(answer["instance_id"])
        self._check(instance)
        return instance

    def definition(self, key: str, version: int) -> tuple[Id, Graph]:
        found = str(_version(key, version).pk)
        return found, graph_of(found)

    def execute(self, instance: Id, command: c.Command) -> dict[str, Any]:
        before = self.state(instance) if self.checked else None
        with self._now():
            outcome = execute(Request(command, "", instance))
        if isinstance(outcome, EngineError):
            if before is not None and isinstance(outcome, Refused):
                changed = differences(before, self.state(instance))
                require_nothing("a refused command changed something", changed)
            raise outcome
        self._check(instance)
        return outcome.answer

    def fetch(
        self, worker: str, topics: Sequence[str | Topic], *, maximum: int = 10, lease_ms: int = 10_000
    ) -> list[Leased]:
        with self._now():
            leased = engine.fetch_and_lock(worker, topics=topics, max_tasks=maximum, lock_ms=lease_ms)
        found = []
        for answer in leased:
            instance = answer["instance_id"]
            self._check(instance)
            found.append(Leased(instance, self.state(instance).external_tasks[answer["task_id"]]))
        return found

    def run_due(self, *, handlers: bool = True) -> int:
        with self._now():
            done = len(due.expire_leases().done) + len(due.fire_due_timers().done)
            done += len(due.run_due_jobs().done)
            done += len(engine.fire_due_starts(LIMIT).done) + len(engine.deliver_due(LIMIT).done)
            done += len(engine.match_buffered(LIMIT).done)
        done += sum(run_due_jobs(self, instance, handlers=handlers) for instance in self.instances())
        self._check_all()
        return done

    def run_job(self, instance: Id, job: Id) -> None:
        run_job(self, instance, job)

    def instances(self) -> list[Id]:
        rows = ProcessInstance.objects.order_by("started_at", "id").values_list("id", flat=True)
        return [str(row) for row in rows]

    def correlate(self, message: str | None, **how: Any) -> list[Receiver]:
        with self._now():
            answer = engine.correlate(message, **how)
        self._check_all()
        return [Receiver(row["instance_id"], row["started"]) for row in answer["receivers"]]

    def signal(self, name: str, variables: Variables) -> None:
        with self._now():
            engine.signal(name, variables=variables)
        self._check_all()

    def evaluate_conditions(self, variables: Variables, **how: Any) -> list[Id]:
        with self._now():
            answer = engine.evaluate_conditions(variables=variables, **how)
        self._check_all()
        return [row["instance_id"] for row in answer["started"]]

    def set_definition_suspended(
        self, key: str, version: int, *, suspended: bool, include_instances: bool = False
    ) -> None:
        change = engine.suspend_definition if suspended else engine.activate_definition
        definition = str(_version(key, version).pk)
        with self._now():
            change(definition, include_instances=include_instances, actor="test")
        self._check_all()

    def delete_definition(self, key: str, version: int, *, cascade: bool = False) -> None:
        definition = str(_version(key, version).pk)
        with self._now():
            engine.delete_definition(definition, cascade=cascade, actor="test")
        self._check_all()

    def delete_deployment(self, key: str, version: int, *, cascade: bool = False) -> None:
        deployment = str(_version(key, version).deployment_id)
        with self._now():
            engine.delete_deployment(deployment, cascade=cascade, actor="test")
        self._check_all()

    def waiting_starts(self) -> list[WaitingStart]:
        keys: dict[Any, str] = dict(Definition.objects.values_list("id", "key"))
        found = [
            (row.id, WaitingStart(row.kind, row.name, row.node, keys[row.definition_id], None))
            for row in Subscription.objects.filter(definition__isnull=False, status="OPEN")
        ]
        found += [
            (row.id, WaitingStart("timer", "", row.node, keys[row.definition_id], row.due_at, row.priority))
            for row in Timer.objects.filter(definition__isnull=False, status="SCHEDULED")
        ]
        return [start for _, start in sorted(found, key=lambda one: str(one[0]))]

    def _check_all(self) -> None:
        for instance in self.instances():
            self._check(instance)

    def graph(self, instance: Id) -> Graph:
        return graph_of(self.state(instance).instance.definition)

    def state(self, instance: Id) -> State:
        state = self._stored.state(instance)
        if state is None:
            raise InstanceNotFound(instance=instance)
        return state

    def history(self, instance: Id) -> list[Recorded]:
        return read_history(instance)

    # checking

    def _now(self) -> AbstractContextManager[None]:
        return frozen(self.clock.tick())

    def _check(self, instance: Id) -> None:
        if self.checked:
            state = self.state(instance)
            check_instance(state, self.history(instance))
            require_nothing("the working set that is kept is not what is stored", kept_differences(state))


def _version(key: str, version: int) -> Definition:
    return Definition.objects.get(key=key, version=version)
