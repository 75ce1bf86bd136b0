"""Playing a scenario: models and instances by the names that stand in the model, the same on every host."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any, TypeVar

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.ids import Id
from bpm.core.rows import ExternalTask, Incident, Job, JoinState, Timer, UserTask
from bpm.core.state import State
from bpm.core.timing import parse_duration
from bpm.core.token import Token
from bpm.core.values import from_text
from tests.support.hosts import Handler, Host, Leased, Variables, pass_time
from tests.support.model import parse_model
from tests.support.tree_model import tree_xml

E = TypeVar("E", bound=e.Event)


class Play:
    """One engine with one scenario on it."""

    def __init__(self, host: Host) -> None:
        self.host = host

    def deploy(self, text: str, key: str = "p") -> None:
        """Deploy a model (see `tests.support.model`)."""
        self.host.deploy(parse_model(text, key))

    def start(self, key: str = "p", /, *, business_key: str | None = None, **variables: Any) -> Case:
        """Start an instance of the newest version."""
        return Case(self.host, self.host.start(key, variables, business_key=business_key))

    def begin(self, text: str, /, **variables: Any) -> Case:
        """Deploy a model and start an instance of it."""
        self.deploy(text)
        return self.start(**variables)

    def grow(self, text: str, /, *, saga: str | None = None, **variables: Any) -> Case:
        """Deploy a model with scopes inside one another (see `tests.support.tree_model`) and start an instance."""
        self.host.deploy(tree_xml(text, saga=saga))
        return self.start(**variables)

    def handle(self, kind: str, name: str, handler: Handler) -> None:
        """Register an in-process handler: kind `service` or `script`."""
        self.host.handlers[kind, name] = handler

    def advance(self, duration: str) -> None:
        """Let time pass (ISO 8601 duration); nothing is done."""
        now = self.host.clock.now
        self.host.clock.advance(parse_duration(duration).add_to(now) - now)

    def pass_time(self, duration: str) -> None:
        """Let time pass and the loops do what becomes due."""
        now = self.host.clock.now
        pass_time(self.host, parse_duration(duration).add_to(now) - now)

    def run_due(self) -> None:
        """Let the loops do what is due, until nothing is."""
        pass_time(self.host, timedelta())

    def fetch(self, worker: str, *topics: str, maximum: int = 10, lease_ms: int = 10_000) -> list[Leased]:
        """Fetch and lock external tasks."""
        return self.host.fetch(worker, topics, maximum=maximum, lease_ms=lease_ms)


class Case:
    """One instance of a scenario, seen through its host."""

    def __init__(self, host: Host, instance: Id) -> None:
        self.host = host
        self.id = instance

    # looking

    @property
    def state(self) -> State:
        """The whole instance as stored."""
        return self.host.state(self.id)

    @property
    def status(self) -> str:
        """Status of the instance."""
        return self.state.instance.status.value

    @property
    def events(self) -> list[e.Event]:
        """The history's events."""
        return [recorded.event for recorded in self.host.history(self.id)]

    def of(self, kind: type[E]) -> list[E]:
        """Return the events of one class, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    def live(self, node: str | None = None) -> list[Token]:
        """Return the live tokens, at one node or anywhere, in order of creation."""
        found = [
            token for token in self.state.tokens.values() if not token.final and node in (None, token.node)
        ]
        return sorted(found, key=lambda token: token.id)

    def token(self, node: str) -> Token:
        """Return the one live token at a node."""
        (found,) = self.live(node)
        return found

    def at(self) -> list[str]:
        """Return the nodes at which tokens stand, sorted, once per token."""
        return sorted(token.node for token in self.live())

    def token_of(self, task: UserTask) -> Token:
        """Return the token that waits for a user task."""
        return self.state.tokens[task.token]

    def tokens(self) -> dict[str, str]:
        """Return node to the status of its token, for instances with at most one token a node."""
        return {token.node: token.status.value for token in self.live()}

    def passed(self) -> Counter[str]:
        """Return how often each node was left by a token, ended tokens included."""
        return Counter(
            event.node
            for event in self.events
            if isinstance(event, e.TokenCompleted | e.TokenTerminated)
            and not (isinstance(event, e.TokenTerminated) and event.reason != "end")
        )

    def tasks(self, node: str | None = None) -> list[UserTask]:
        """Return the open user tasks, in order of creation."""
        found = [
            row for row in self.state.user_tasks.values() if row.status == "OPEN" and node in (None, row.node)
        ]
        return sorted(found, key=lambda row: row.id)

    def rounds(self) -> list[dict[str, UserTask]]:
        """Return node to open user task, one mapping per parallel group, in order of their forks' execution."""
        groups = {token.id: token.parallel_group or "" for token in self.live()}
        found: dict[str, dict[str, UserTask]] = {group: {} for group in sorted(set(groups.values()))}
        for task in self.tasks():
            found[groups[task.token]][task.node] = task
        return list(found.values())

    def external(self, node: str) -> ExternalTask:
        """Return the newest external task of a node, whatever its status."""
        return max(
            (row for row in self.state.external_tasks.values() if row.node == node), key=lambda row: row.id
        )

    def timer(self, node: str) -> Timer:
        """Return the newest timer of a node."""
        return max((row for row in self.state.timers.values() if row.node == node), key=lambda row: row.id)

    def job(self, node: str) -> Job:
        """Return the newest job of a node."""
        return max((row for row in self.state.jobs.values() if row.node == node), key=lambda row: row.id)

    def joins(self, node: str | None = None) -> list[JoinState]:
        """Return the open states of joins, in order of creation."""
        found = [
            row for row in self.state.joins.values() if row.status == "OPEN" and node in (None, row.node)
        ]
        return sorted(found, key=lambda row: row.id)

    def incidents(self) -> list[Incident]:
        """Return the open incidents, in order of creation."""
        return sorted(
            (row for row in self.state.incidents.values() if row.status == "OPEN"), key=lambda row: row.id
        )

    def variables(self) -> Variables:
        """Return the variables of the process's own scope."""
        rows = self.state.variables
        return {name: from_text(row.value) for (scope, name), row in rows.items() if scope == self.id}

    # doing

    def do(self, command: c.Command) -> dict[str, Any]:
        """Execute a command on this instance."""
        return self.host.execute(self.id, command)

    def complete(self, node: str, **variables: Any) -> None:
        """Complete the oldest open user task of a node."""
        self.finish(self.tasks(node)[0], **variables)

    def finish(self, task: UserTask, **variables: Any) -> None:
        """Complete this user task."""
        self.do(c.CompleteUserTask(task=task.id, variables=variables))

    def work(self, node: str, *, worker: str = "w", **variables: Any) -> None:
        """Fetch and complete the external task of a node."""
        task = self.external(node)
        self.do(c.LockExternalTasks(tasks=(task.id,), worker=worker, lock_ms=1_000))
        self.do(c.CompleteExternalTask(task=task.id, worker=worker, variables=variables))

    def work_leased(self, leased: Leased, *, worker: str = "w", **variables: Any) -> None:
        """Complete a task that the worker holds."""
        self.do(c.CompleteExternalTask(task=leased.task.id, worker=worker, variables=variables))

    def fire(self, node: str) -> None:
        """Fire the timer of a node, whatever its due time."""
        self.do(c.FireTimers(timers=(self.timer(node).id,), force=True))

    def retry(self, node: str, retries: int | None = None) -> None:
        """Retry the one failed token at a node."""
        (token,) = [token for token in self.live(node) if token.status == "Failed"]
        self.do(c.RetryToken(token=token.id, retries=retries))

    def set(self, **variables: Any) -> None:
        """Set variables of the process."""
        self.do(c.SetVariables(scope=self.id, variables=variables))
