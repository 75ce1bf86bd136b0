"""Where a scenario runs: in memory on the pure core, or on the engine with its database (the same scenario on both).

A host does one thing at a time and shows an instance as it would be loaded anew. What is behind it must not show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol

from bpm.core.commands import Command
from bpm.core.graph import Graph, Node
from bpm.core.ids import Id
from bpm.core.instructions import Instruction
from bpm.core.rows import ExternalTask, InstanceStatus
from bpm.core.state import State
from bpm.shell.topics import Topic
from tests.support.clock import Clock
from tests.support.folding import Recorded
from tests.support.model import Model

Variables = Mapping[str, Any]
Handler = Callable[["Work"], Variables | None]
HandlerKey = tuple[str, str]


class Work(NamedTuple):
    """What a handler sees of its job."""

    instance: Id
    node: Node
    attempt: int
    variables: Variables


class HandlerThrew(Exception):
    """The handler ends by a BPMN error."""

    def __init__(self, code: str, message: str = "", variables: Variables | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.message = message
        self.variables = variables or {}


class HandlerVanished(Exception):
    """The cluster dies while the handler runs: nobody reports a result."""


class Leased(NamedTuple):
    """An external task that a worker got."""

    instance: Id
    task: ExternalTask


class Receiver(NamedTuple):
    """An instance that got a message, or was started by it."""

    instance: Id
    started: bool


class WaitingStart(NamedTuple):
    """A definition that waits to be started: `kind` is timer, message, signal or condition."""

    kind: str
    name: str
    node: str
    process: str
    due_at: datetime | None
    priority: int = 0


class Host(Protocol):
    """One engine, empty at first.

    Attributes:
        clock: all time of this engine.
        handlers: (`service` or `script`, name) to what runs such a job.
        checked: whether invariants are checked after every command.
    """

    clock: Clock
    handlers: MutableMapping[HandlerKey, Handler]
    checked: bool

    def deploy(self, *sources: bytes | Model) -> list[str]:
        """Deploy files or models, all in one deployment; return the process keys.

        Raises:
            DefinitionInvalid: nothing is deployed.
        """
        ...

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
        """Start an instance of a version, the newest by default; with instructions, where they say."""
        ...

    def definition(self, key: str, version: int) -> tuple[Id, Graph]:
        """Return the id of a version and its compiled process."""
        ...

    def execute(self, instance: Id, command: Command) -> dict[str, Any]:
        """Execute one command and return its own part of the answer.

        Raises:
            Refused: nothing has changed.
        """
        ...

    def fetch(
        self, worker: str, topics: Sequence[str | Topic], *, maximum: int = 10, lease_ms: int = 10_000
    ) -> list[Leased]:
        """Fetch and lock external tasks of all instances: by priority, then age."""
        ...

    def run_due(self, *, handlers: bool = True) -> int:
        """Do one round of the loops: expired leases, due timers, due jobs. Return how much was done.

        Args:
            handlers: whether jobs of in-process handlers are run, too.
        """
        ...

    def run_job(self, instance: Id, job: Id) -> None:
        """Run one job with its handler, whatever the handler does."""
        ...

    def instances(self) -> list[Id]:
        """Return all instances, ended ones too, in order of creation."""
        ...

    def correlate(self, message: str | None, **how: Any) -> list[Receiver]:
        """Send a message; `how` as for `engine.correlate`.

        Raises:
            Refused: no receiver, or too many.
        """
        ...

    def signal(self, name: str, variables: Variables) -> None:
        """Send a signal to all who wait for it."""
        ...

    def evaluate_conditions(self, variables: Variables, **how: Any) -> list[Id]:
        """Start where a condition is true; return the new instances."""
        ...

    def set_definition_suspended(
        self, key: str, version: int, *, suspended: bool, include_instances: bool = False
    ) -> None:
        """Suspend or activate a version, alone or with its instances."""
        ...

    def delete_definition(self, key: str, version: int, *, cascade: bool = False) -> None:
        """Delete a version; with `cascade` its instances are cancelled first.

        Raises:
            Refused: instances run, or there is no such version.
        """
        ...

    def delete_deployment(self, key: str, version: int, *, cascade: bool = False) -> None:
        """Delete all that was deployed together with a version; raises as `delete_definition`."""
        ...

    def waiting_starts(self) -> list[WaitingStart]:
        """Return what definitions wait for, in order of creation."""
        ...

    def graph(self, instance: Id) -> Graph:
        """Return the compiled process of an instance."""
        ...

    def state(self, instance: Id) -> State:
        """Return the whole instance as stored."""
        ...

    def history(self, instance: Id) -> list[Recorded]:
        """Return the whole history as stored."""
        ...


def pass_time(host: Host, span: timedelta) -> None:
    """Let time pass and the loops do what became due on the way, in the order in which it became due."""
    end = host.clock.now + span
    while True:
        while host.run_due():
            pass
        due = next_due(host)
        if due is None or due > end:
            break
        host.clock.now = max(host.clock.now, due)
    host.clock.now = max(host.clock.now, end)
    while host.run_due():
        pass


def next_due(host: Host) -> Any:
    """Return the next instant at which a loop will have something to do, None where there is none."""
    found = []
    for instance in host.instances():
        state = host.state(instance)
        if state.instance.ended or state.instance.status is InstanceStatus.SUSPENDED:
            continue
        found += [timer.due_at for timer in state.timers.values() if timer.status == "SCHEDULED"]
        found += [job.available_at for job in state.jobs.values() if job.status == "READY"]
    return min((due for due in found if due > host.clock.now), default=None)
