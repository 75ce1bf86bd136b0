"""The pure core in memory, distrusted: after every command its history is folded again and compared."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC
from typing import Any

from bpm.core import commands as c
from bpm.core import operations as o
from bpm.core.context import Context, Limits
from bpm.core.decide import Decision, decide
from bpm.core.errors import InstanceNotFound, Refused
from bpm.core.graph import Graph
from bpm.core.ids import Id, IdSource
from bpm.core.instructions import Instruction
from bpm.core.rows import TimerStatus
from bpm.core.starts import starts_on
from bpm.core.state import Instance, State
from bpm.core.values import check_variables
from bpm.shell.messages import Message
from bpm.shell.starts import Start
from bpm.shell.topics import Topic
from tests.support.checking import check_instance, require_nothing
from tests.support.clock import Clock
from tests.support.core_definition_operations import delete_versions, set_suspended
from tests.support.core_definitions import Definitions
from tests.support.core_deliveries import Deliveries
from tests.support.core_leases import expired_leases, fetch
from tests.support.core_versions import Armed, Version
from tests.support.folding import Recorded, copy_state, differences
from tests.support.handler_runs import run_due_jobs, run_job
from tests.support.hosts import Handler, HandlerKey, Leased, Receiver, Variables, WaitingStart
from tests.support.model import Model


@dataclass
class _Held:
    graph: Graph
    state: State
    history: list[Recorded] = field(default_factory=list)


class CoreHost:
    """Implements `Host` without a database.

    Attributes:
        limits: bounds of each command.
        definitions: what is deployed.
    """

    def __init__(self, *, limits: Limits | None = None, checked: bool = True) -> None:
        self.clock = Clock()
        self.handlers: MutableMapping[HandlerKey, Handler] = {}
        self.checked = checked
        self.limits = limits or Limits()
        self.definitions = Definitions()
        self._deliveries = Deliveries(self)
        self._held: dict[Id, _Held] = {}
        self._seed = 0

    # Host

    def deploy(self, *sources: bytes | Model) -> list[str]:
        formats = frozenset(name for kind, name in self.handlers if kind == "script")
        new = self.definitions.deploy(sources, formats, self.clock.now)
        self._look_for_messages(new)
        return [version.key for version in new]

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
        return self.begin(
            Start(
                process=key,
                version=version,
                variables=variables or {},
                business_key=business_key,
                actor=actor,
                instructions=tuple(instructions),
            )
        )

    def definition(self, key: str, version: int) -> tuple[Id, Graph]:
        found = self.definitions.find(key, version)
        return found.id, found.graph

    def execute(self, instance: Id, command: c.Command) -> dict[str, Any]:
        return self.carry_out(instance, command).answer

    def fetch(
        self, worker: str, topics: Sequence[str | Topic], *, maximum: int = 10, lease_ms: int = 10_000
    ) -> list[Leased]:
        return fetch(self, self.definitions, worker, topics, maximum=maximum, lease_ms=lease_ms)

    def run_due(self, *, handlers: bool = True) -> int:
        done = sum(self._run_due(instance, handlers=handlers) for instance in self.instances())
        due = self.definitions.due(self.clock.now)
        for timer in due:
            self._fire_start(timer)
        return done + len(due) + self._deliveries.drain() + self._deliveries.messages.match_buffered()

    def run_job(self, instance: Id, job: Id) -> None:
        run_job(self, instance, job)

    def instances(self) -> list[Id]:
        return list(self._held)

    def correlate(self, message: str | None, **how: Any) -> list[Receiver]:
        everybody, ttl_ms = how.pop("all", False), how.pop("ttl_ms", None)
        definition = how.get("definition")
        sent = Message(
            name=message,
            keys=check_variables(dict(how.pop("correlation_keys", None) or {})),
            local_keys=check_variables(dict(how.pop("local_correlation_keys", None) or {})),
            variables=check_variables(dict(how.pop("variables", None) or {})),
            start_only=how.pop("start_only", False) or definition is not None,
            **how,
        )
        return self._deliveries.messages.send(sent, ttl_ms=ttl_ms, everybody=everybody)

    def signal(self, name: str, variables: Variables) -> None:
        self._deliveries.broadcast(name, check_variables(dict(variables)), "")

    def evaluate_conditions(self, variables: Variables, **how: Any) -> list[Id]:
        definition, business_key = how.pop("definition", None), how.pop("business_key", None)
        assert not how, f"unknown: {how}"
        if definition is not None:
            self.definitions.find(definition)
        given, now = check_variables(dict(variables)), self.clock.now
        return [
            self._start_at(armed, variables=given, business_key=business_key)
            for armed in self.definitions.waiting("condition")
            if definition in (None, armed.version.key, armed.version.id)
            and starts_on(armed.version.graph, armed.node, int(armed.name), given, now)
        ]

    def set_definition_suspended(
        self, key: str, version: int, *, suspended: bool, include_instances: bool = False
    ) -> None:
        found = self.definitions.find(key, version)
        set_suspended(self, found, suspended=suspended, instances=include_instances)

    def delete_definition(self, key: str, version: int, *, cascade: bool = False) -> None:
        self._delete([self.definitions.find(key, version)], cascade=cascade)

    def delete_deployment(self, key: str, version: int, *, cascade: bool = False) -> None:
        deployment = self.definitions.find(key, version).deployment
        self._delete([one for one in self.definitions if one.deployment == deployment], cascade=cascade)

    def waiting_starts(self) -> list[WaitingStart]:
        return self.definitions.told()

    def graph(self, instance: Id) -> Graph:
        return self._held[instance].graph

    def state(self, instance: Id) -> State:
        return self._held[instance].state

    def history(self, instance: Id) -> list[Recorded]:
        return self._held[instance].history

    # definitions

    def _look_for_messages(self, versions: Sequence[Version]) -> None:
        """Give new starts the messages that have been waiting for them."""
        names = [armed.name for armed in self.definitions.waiting("message") if armed.version in versions]
        self._deliveries.messages.deliver_waiting(names)

    def _delete(self, versions: Sequence[Version], *, cascade: bool) -> None:
        delete_versions(self, versions, cascade=cascade)
        self._look_for_messages(list(self.definitions))

    def _fire_start(self, timer: Armed) -> None:
        self.definitions.use_up(timer, self.clock.now)
        self._start_at(timer, actor="engine")

    def _start_at(self, armed: Armed, **fields: Any) -> Id:
        return self.begin(Start(process=armed.version.id, node=armed.node, trigger=armed.trigger, **fields))

    # deciding

    def begin(self, start: Start) -> Id:
        """Start an instance, and deliver what it sends. Raises Refused."""
        version = self.definitions.find_startable(start.process, start.version)
        instance = start.instance
        if instance is None:
            self._seed += 1
            instance = IdSource(self.clock.tick(), self._seed).next()
        held = _Held(version.graph, State(Instance(id=instance), everything=True))
        decision = self._decide(held, replace(start.command(), definition=version.id))
        self._held[instance] = held
        self._deliveries.follow_up(instance, decision)
        return instance

    def carry_out(self, instance: Id, command: c.Command) -> Decision:
        """Decide a command on an instance that is there, and deliver what it sends. Raises Refused."""
        held = self._held.get(instance)
        if held is None:
            raise InstanceNotFound(instance=instance)
        decision = self._decide(held, command)
        if isinstance(command, o.MigrateInstance):
            held.graph = command.target
        self._deliveries.follow_up(instance, decision)
        return decision

    def together(self) -> AbstractContextManager[None]:
        """Hold deliveries back until the block ends, as if what is in it were one transaction."""
        return self._deliveries.together()

    def check_all(self) -> None:
        """Check the invariants of every instance, unless nothing is checked."""
        for held in self._held.values() if self.checked else ():
            check_instance(held.state, held.history)

    def _run_due(self, instance: Id, *, handlers: bool) -> int:
        state, now, done = self.state(instance), self.clock.now, 0
        expired = expired_leases(state, now)
        if expired:
            done += len(self.execute(instance, c.ExpireLeases(tasks=expired))["expired"])
        due = sorted(
            (-timer.priority, timer.due_at, timer.id)
            for timer in state.timers.values()
            if timer.status is TimerStatus.SCHEDULED and timer.due_at <= now
        )
        if due:
            done += len(
                self.execute(instance, c.FireTimers(timers=tuple(timer for *_, timer in due)))["fired"]
            )
        return done + run_due_jobs(self, instance, handlers=handlers)

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
