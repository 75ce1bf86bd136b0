"""The pure core in memory, distrusted: after every command its history is folded again and compared."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any

from bpm.bpmn.compile import read_file
from bpm.core import commands as c
from bpm.core import operations as o
from bpm.core.between import Broadcast, Outgoing
from bpm.core.context import Context, Limits
from bpm.core.decide import Decision, decide
from bpm.core.errors import DefinitionInvalid, DefinitionNotFound, InstanceNotFound, Refused
from bpm.core.graph import Graph
from bpm.core.ids import Id, IdSource
from bpm.core.instructions import Instruction
from bpm.core.rows import ExternalStatus, TimerStatus
from bpm.core.state import Instance, State
from tests.support.checking import check_instance, require_nothing
from tests.support.clock import Clock
from tests.support.folding import Recorded, copy_state, differences
from tests.support.handler_runs import run_due_jobs, run_job
from tests.support.hosts import Handler, HandlerKey, Leased, NotOnThisHost, Receiver, Variables, WaitingStart
from tests.support.model import Model
from tests.support.model_graph import build_graph


@dataclass
class _Held:
    graph: Graph
    state: State
    history: list[Recorded] = field(default_factory=list)


class CoreHost:
    """Implements `Host` without a database.

    Attributes:
        limits: bounds of each command.
    """

    def __init__(self, *, limits: Limits | None = None, checked: bool = True) -> None:
        self.clock = Clock()
        self.handlers: MutableMapping[HandlerKey, Handler] = {}
        self.checked = checked
        self.unreached = 0
        self.limits = limits or Limits()
        self._versions: dict[str, list[Graph]] = {}
        self._held: dict[Id, _Held] = {}
        self._seed = 0

    # Host

    def deploy(self, *sources: bytes | Model) -> list[str]:
        formats = frozenset(name for kind, name in self.handlers if kind == "script")
        graphs = [graph for source in sources for graph in _compile(source, formats)]
        for graph in graphs:
            self._versions.setdefault(graph.key, []).append(graph)
        return [graph.key for graph in graphs]

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
        versions = self._versions.get(key, [])
        number = len(versions) if version is None else version
        if not 1 <= number <= len(versions):
            raise DefinitionNotFound(key=key, version=version)
        self._seed += 1
        instance = IdSource(self.clock.tick(), self._seed).next()
        state = State(Instance(id=instance), everything=True)
        held = _Held(versions[number - 1], state)
        command = c.StartInstance(
            definition=f"{key}:{number}",
            variables=variables or {},
            business_key=business_key,
            actor=actor,
            instructions=tuple(instructions),
        )
        self._decide(held, command)
        self._held[instance] = held
        return instance

    def definition(self, key: str, version: int) -> tuple[Id, Graph]:
        return f"{key}:{version}", self._versions[key][version - 1]

    def execute(self, instance: Id, command: c.Command) -> dict[str, Any]:
        held = self._held.get(instance)
        if held is None:
            raise InstanceNotFound(instance=instance)
        answer = self._decide(held, command).answer
        if isinstance(command, o.MigrateInstance):
            held.graph = command.target
        return answer

    def fetch(
        self, worker: str, topics: Sequence[str], *, maximum: int = 10, lease_ms: int = 10_000
    ) -> list[Leased]:
        free = [
            Leased(instance, task)
            for instance in self.instances()
            for task in self.state(instance).external_tasks.values()
            if task.topic in topics and task.status in (ExternalStatus.READY, ExternalStatus.LOCKED)
        ]
        free.sort(key=lambda leased: (-leased.task.priority, leased.task.created_at, leased.task.id))
        got: list[Leased] = []
        for instance, task in free:
            if len(got) < maximum:
                command = c.LockExternalTasks(tasks=(task.id,), worker=worker, lock_ms=lease_ms)
                if self.execute(instance, command)["locked"]:
                    got.append(Leased(instance, self.state(instance).external_tasks[task.id]))
        return got

    def run_due(self, *, handlers: bool = True) -> int:
        return sum(self._run_due(instance, handlers=handlers) for instance in self.instances())

    def run_job(self, instance: Id, job: Id) -> None:
        run_job(self, instance, job)

    def instances(self) -> list[Id]:
        return list(self._held)

    def correlate(self, message: str | None, **how: Any) -> list[Receiver]:
        raise NotOnThisHost("messages from outside")

    def signal(self, name: str, variables: Variables) -> None:
        raise NotOnThisHost("signals from outside")

    def evaluate_conditions(self, variables: Variables, **how: Any) -> list[Id]:
        raise NotOnThisHost("conditional starts")

    def set_definition_suspended(
        self, key: str, version: int, *, suspended: bool, include_instances: bool = False
    ) -> None:
        raise NotOnThisHost("operations on definitions")

    def delete_definition(self, key: str, version: int, *, cascade: bool = False) -> None:
        raise NotOnThisHost("operations on definitions")

    def delete_deployment(self, key: str, version: int, *, cascade: bool = False) -> None:
        raise NotOnThisHost("operations on definitions")

    def waiting_starts(self) -> list[WaitingStart]:
        if self._starts_by_trigger():
            raise NotOnThisHost("starts of definitions")
        return []

    def _starts_by_trigger(self) -> bool:
        graphs = [graph for versions in self._versions.values() for graph in versions]
        return any(graph.extras.get("triggered_starts") for graph in graphs)

    def graph(self, instance: Id) -> Graph:
        return self._held[instance].graph

    def state(self, instance: Id) -> State:
        return self._held[instance].state

    def history(self, instance: Id) -> list[Recorded]:
        return self._held[instance].history

    # deciding

    def _run_due(self, instance: Id, *, handlers: bool) -> int:
        state, now, done = self.state(instance), self.clock.now, 0
        expired = tuple(
            task.id
            for task in state.external_tasks.values()
            if task.status is ExternalStatus.LOCKED and task.lease_expires_at and task.lease_expires_at <= now
        )
        if expired:
            done += len(self.execute(instance, c.ExpireLeases(tasks=expired))["expired"])
        due = sorted(
            (timer.due_at, timer.id)
            for timer in state.timers.values()
            if timer.status is TimerStatus.SCHEDULED and timer.due_at <= now
        )
        if due:
            done += len(
                self.execute(instance, c.FireTimers(timers=tuple(timer for _, timer in due)))["fired"]
            )
        return done + run_due_jobs(self, instance, handlers=handlers)

    def _crosses(self, held: _Held, sent: Outgoing | Broadcast) -> bool:
        """Return whether what is sent would reach another instance than its own, or start one."""
        others = any(other is not held for other in self._held.values())
        return isinstance(sent, Outgoing) or others or self._starts_by_trigger()

    def _context(self, state: State) -> Callable[[], Context]:
        self._seed += 1
        now, seed, start = self.clock.tick(), self._seed, state.instance.sequence + 1
        known = frozenset(self.handlers)
        return lambda: Context(
            now=now,
            ids=IdSource(now, seed, start),
            has_handler=lambda kind, name: (kind, name) in known,
            limits=self.limits,
            zone=UTC,
        )

    def _decide(self, held: _Held, command: c.Command) -> Decision:
        context, state = self._context(held.state), held.state
        twin = copy_state(state) if self.checked else None
        before = copy_state(state) if self.checked else None
        first = state.instance.sequence + 1
        try:
            decision = decide(held.graph, state, command, context())
        except Refused:
            if before is not None:
                require_nothing("a refused command changed something", differences(before, state))
            raise
        finally:
            state.journal.clear()
            state.fresh.clear()
        self.unreached += sum(self._crosses(held, sent) for sent in decision.outgoing)
        held.history += [
            Recorded(first + offset, event, self.clock.now) for offset, event in enumerate(decision.events)
        ]
        if twin is not None:
            self._check(held, twin, command, context(), decision)
        return decision

    def _check(
        self, held: _Held, twin: State, command: c.Command, context: Context, decision: Decision
    ) -> None:
        again = decide(held.graph, twin, command, context)
        same = again == decision
        require_nothing("deciding again gives something else", [] if same else [f"{again} is not {decision}"])
        require_nothing("two decisions leave different states", differences(held.state, twin))
        check_instance(held.state, held.history)


def _compile(source: bytes | Model, script_formats: frozenset[str]) -> list[Graph]:
    if isinstance(source, Model):
        return [build_graph(source)]
    file = read_file(source, script_formats=script_formats)
    if file.problems:
        raise DefinitionInvalid(file.problems)
    return [process.graph for process in file.processes if process.graph is not None]
