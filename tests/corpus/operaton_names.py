"""What the names of an operaton scenario mean on a host: instances, tasks, jobs, nodes, scopes, values.

Order is always order of creation: by time, which differs between commands, then by id.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from bpm.core.ids import Id
from bpm.core.rows import ExternalTask, Job, Timer, UserTask
from bpm.core.state import State
from bpm.core.timing import parse_duration
from bpm.core.token import Token, TokenStatus, Wait
from tests.support.corpus_scores import Later
from tests.support.hosts import Host

R = TypeVar("R", UserTask, ExternalTask, Token)
BODY_SUFFIX = "#multiInstanceBody"


class Due(NamedTuple):
    """A job in the peer's sense: a timer, or a continuation that waits for a cluster; a timer start has no row."""

    type: str
    activity: str
    instance: Id
    row: Timer | Job | None
    due_at: datetime
    priority: int


class Names:
    """The names of one scenario.

    Attributes:
        instances: name to instance.
        start: the scenario's start time.
        user: who acts.
    """

    def __init__(self, host: Host) -> None:
        self.host = host
        self.instances: dict[str, Id] = {}
        self.start = host.clock.now
        self.user: str | None = None

    # instances

    def running(self) -> list[Id]:
        """Return the instances that have not ended, in order of creation."""
        return [instance for instance in self.host.instances() if not self.state(instance).instance.ended]

    def state(self, instance: Id) -> State:
        """Return an instance as stored."""
        return self.host.state(instance)

    def states(self) -> list[tuple[Id, State]]:
        """Return all running instances."""
        return [(instance, self.state(instance)) for instance in self.running()]

    def instance(self, name: str | dict[str, Any]) -> Id:
        """Return the instance of a name, or the n-th running one of a process that has no name."""
        if isinstance(name, str):
            return self.instances[name]
        unknown = [found for found in self.running() if found not in self.instances.values()]
        of_key = [found for found in unknown if self.state(found).instance.definition_key == name["key"]]
        return of_key[_nth(name)]

    # rows

    def tasks(self) -> list[tuple[Id, UserTask]]:
        """Return the open user tasks of all instances."""
        return _ordered(
            (instance, task)
            for instance, state in self.states()
            for task in state.user_tasks.values()
            if task.status == "OPEN"
        )

    def task(self, step: dict[str, Any]) -> tuple[Id, UserTask]:
        """Return the n-th open task of a node."""
        return [found for found in self.tasks() if found[1].node == step["key"]][_nth(step)]

    def external_tasks(self) -> list[tuple[Id, ExternalTask]]:
        """Return the external tasks of all instances that are not over."""
        return _ordered(
            (instance, task)
            for instance, state in self.states()
            for task in state.external_tasks.values()
            if task.status in ("READY", "LOCKED", "FAILED")
        )

    def external_task(self, step: dict[str, Any]) -> tuple[Id, ExternalTask]:
        """Return the n-th external task of a topic and node."""
        wanted = (step["topic"], step["activity"])
        found = [one for one in self.external_tasks() if (one[1].topic, one[1].node) == wanted]
        return found[_nth(step)]

    def jobs(self) -> list[Due]:
        """Return the waiting timers and continuations of all instances."""
        found: list[Due] = []
        for instance, state in self.states():
            for timer in state.timers.values():
                if timer.status == "SCHEDULED":
                    found.append(Due("timer", timer.node, instance, timer, timer.due_at, timer.priority))
            for job in state.jobs.values():
                if job.status in ("READY", "FAILED"):
                    found.append(Due("async", job.node, instance, job, job.available_at, job.priority))
        found.sort(
            key=lambda due: (due.row.created_at, due.row.id) if due.row is not None else (self.start, "")
        )
        starts = [start for start in self.host.waiting_starts() if start.due_at is not None]
        timers = [
            Due("timer", start.node, "", None, start.due_at, start.priority)
            for start in starts
            if start.due_at
        ]
        return timers + found

    def job(self, step: dict[str, Any]) -> Due:
        """Return the n-th job of an activity and type."""
        wanted = (step["activity"], step["type"])
        return [due for due in self.jobs() if (due.activity, due.type) == wanted][_nth(step)]

    # nodes and scopes

    def tokens_at(self, activity: str) -> list[tuple[Id, Token]]:
        """Return the tokens that work at a node, in order of creation; not those that wait for an inner scope."""
        return _ordered(
            (instance, token)
            for instance, state in self.states()
            for token in state.tokens.values()
            if not token.final and token.node == activity and not _outer_of_layer(state, token)
        )

    def token(self, named: str | dict[str, Any]) -> tuple[Id, Token]:
        """Return the n-th token that works at a node."""
        where: dict[str, Any] = {"activity": named} if isinstance(named, str) else named
        return self.tokens_at(where["activity"])[_nth(where)]

    def scope(self, step: dict[str, Any]) -> tuple[Id, Id]:
        """Return the instance and scope that a step names."""
        if "instance" in step:
            instance = self.instance(step["instance"])
            return instance, instance
        if "task" in step:
            instance, task = self.task(step["task"])
            token = self.state(instance).tokens[task.token]
        elif "activity" in step:
            instance, token = self.token(step["activity"])
        else:
            raise Later(f"a scope named by {sorted(step.keys() - {'op', 'variables', 'names'})}")
        state = self.state(instance)
        if step.get("local") and state.scopes[token.scope].node != token.node:
            raise Later("variables of a task or activity without a scope of its own")
        return instance, token.scope

    # values

    def value(self, written: Any) -> Any:
        """Return a value of a step as it goes to the engine."""
        if isinstance(written, dict):
            if "$time" in written:
                at = parse_duration(written["$time"]).add_to(self.start)
                return at.isoformat(timespec="milliseconds")
            if "$bytes" in written:
                return base64.b64decode(written["$bytes"]).hex()
            return {name: self.value(inner) for name, inner in written.items()}
        return [self.value(inner) for inner in written] if isinstance(written, list) else written

    def variables(self, step: dict[str, Any], name: str = "variables") -> dict[str, Any]:
        """Return the variables of a step."""
        return {key: self.value(value) for key, value in step.get(name, {}).items()}

    def instant(self, written: dict[str, str]) -> datetime:
        """Return the instant that `$time` names."""
        return parse_duration(written["$time"]).add_to(self.start)


def _nth(step: dict[str, Any]) -> int:
    return int(step.get("nth", 0))


def _ordered(found: Iterable[tuple[Id, R]]) -> list[tuple[Id, R]]:
    return sorted(found, key=lambda one: (one[1].created_at, one[1].id))


def _outer_of_layer(state: State, token: Token) -> bool:
    """Return whether the token only waits for the node's own scope, in which the work is done."""
    if token.status is not TokenStatus.WAITING or token.wait is not Wait.SCOPE:
        return False
    return any(
        scope.outer_token == token.id and scope.node == token.node and scope.status == "ACTIVE"
        for scope in state.scopes.values()
        if scope.kind in ("activity", "multiInstance", "loop")
    )
