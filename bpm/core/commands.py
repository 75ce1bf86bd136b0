"""What can be asked of one instance. A command is a value; it is decided against one state, in one transaction.

`bpm.engine` offers them to callers; the loops of the cluster make the rest (due timers, jobs, expired leases).
Durations are milliseconds in whole numbers, times aware and UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bpm.core.ids import Id
from bpm.core.instructions import Instruction

Variables = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Base of all commands.

    Attributes:
        actor: who asks: a user name, `worker:<id>`, `engine`; stands on every event.
    """

    actor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartInstance(Command):
    """Start a definition at its none start event (or, without any start event, at every node without incoming flow).

    Attributes:
        node: where a trigger starts it instead: a start event, an instantiating receive task, or an event behind an
            instantiating gateway.
        trigger: what has come there, as kind and name (`message:pay`); counts where several have to come.
        instructions: where it begins instead, as in a modification.
    """

    definition: Id
    tenant: str = ""
    business_key: str | None = None
    variables: Variables = field(default_factory=dict)
    parent_instance: Id | None = None
    parent_token: Id | None = None
    root: Id | None = None
    node: str | None = None
    trigger: str = ""
    instructions: tuple[Instruction, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelInstance(Command):
    """End the instance with all that is in it.

    Attributes:
        by_caller: its caller needs it no more; otherwise the caller is told.
    """

    reason: str = ""
    by_caller: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCommand(Command):
    """A command about one task of the instance."""

    task: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleteUserTask(TaskCommand):
    """Complete a user task.

    Attributes:
        user: who completes; None skips the check of assignee and candidates (programs with the right to operate).
        groups: the user's groups.
    """

    variables: Variables = field(default_factory=dict)
    user: str | None = None
    groups: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimUserTask(TaskCommand):
    """Take a user task; by one who may (assignee none, and candidate or no candidates given)."""

    user: str
    groups: frozenset[str] = frozenset()
    check: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class UnclaimUserTask(TaskCommand):
    """Give a user task back."""

    user: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignUserTask(TaskCommand):
    """Give a user task to somebody, or to nobody. Blank text means nobody."""

    assignee: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LockExternalTasks(Command):
    """Lease tasks of this instance to a worker. Those that are no longer free are left out of the answer."""

    tasks: tuple[Id, ...]
    worker: str
    lock_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseCommand(TaskCommand):
    """A command by the holder of a lease.

    Attributes:
        lease: the lease the worker believes to hold; None checks the worker only.
    """

    worker: str
    lease: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleteExternalTask(LeaseCommand):
    """The work is done."""

    variables: Variables = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailExternalTask(LeaseCommand):
    """The work failed.

    Attributes:
        retries: what is left now; None takes one off.
        retry_after_ms: not fetched before that; None: the definition's delay, else 0.
    """

    error: str = ""
    details: str | None = None
    retries: int | None = None
    retry_after_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowExternalTaskError(LeaseCommand):
    """The work ends by a BPMN error."""

    error_code: str
    message: str = ""
    variables: Variables = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtendExternalTaskLock(LeaseCommand):
    """The lease shall end `lock_ms` from now."""

    lock_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlockExternalTask(TaskCommand):
    """Give a task back; without worker it is an operator's act."""

    worker: str | None = None
    lease: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetExternalTaskRetries(TaskCommand):
    """An operator sets the number of retries of a task that has not failed for good."""

    retries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetExternalTaskPriority(TaskCommand):
    """An operator sets the priority."""

    priority: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpireLeases(Command):
    """Make expired leases of external tasks visible. Those that are not expired any more are left out."""

    tasks: tuple[Id, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryToken(Command):
    """Try again where a token failed.

    Attributes:
        retries: new number of retries of its external task or job; None: its initial number.
        because: the open incident or failed task that the caller means; None: whatever made it fail.
    """

    token: Id
    retries: int | None = None
    because: Id | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FireTimers(Command):
    """Fire timers of this instance that are due. Those that are not (any more) are left out.

    Attributes:
        force: fire whatever the due time is (an operator's act).
    """

    timers: tuple[Id, ...]
    force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCommand(Command):
    """A command about one job of the instance."""

    job: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class StartJob(JobCommand):
    """A cluster begins a job: engine work is done at once, a handler's job is handed out (the answer says which)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleteJob(JobCommand):
    """The handler returned."""

    attempt: int
    variables: Variables = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailJob(JobCommand):
    """The handler raised."""

    attempt: int
    error: str
    retries: int | None = None
    retry_after_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowJobError(JobCommand):
    """The handler ended by a BPMN error."""

    attempt: int
    error_code: str
    message: str = ""
    variables: Variables = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpireJobs(Command):
    """Jobs whose cluster vanished: READY again, the attempt counts."""

    jobs: tuple[Id, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetVariables(Command):
    """Set variables in a scope: as a completion would, or `local` exactly there."""

    scope: Id
    variables: Variables
    local: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerMessage(Command):
    """A message has come for one subscription."""

    subscription: Id
    variables: Variables = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerSignal(Command):
    """A signal has come for subscriptions of this instance. Those that are not open any more are left out."""

    subscriptions: tuple[Id, ...]
    variables: Variables = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinueReceiveTask(Command):
    """Go on at a receive task, whether or not it waits for a message."""

    token: Id
    variables: Variables = field(default_factory=dict)
