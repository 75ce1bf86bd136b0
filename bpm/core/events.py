"""Facts. Every change of a state is one of these, and carries all that `evolve` needs (semantics §10).

Each event is a frozen value of JSON-able fields and has a category. Names and shapes are part of the API and of every
stored history: a field is added with a default, never renamed; a changed shape gets an upcast. Values and free text
stand only in events marked `erasable`: those whose loss changes no token.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from bpm.core.ids import Id


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Base of all events; holds what the history table has as columns of its own."""

    category: ClassVar[str] = "instance"
    erasable: ClassVar[bool] = False

    @property
    def ends_token(self) -> bool:
        """Whether the token becomes final by this event: at most once in a token's life."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenEvent(Event):
    """An event about one token at one node."""

    category: ClassVar[str] = "token"
    token: Id
    node: str


# instance


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceStarted(Event):
    """An instance began; its root scope gets the instance's id in `ScopeEntered`."""

    definition: Id
    definition_key: str
    tenant: str
    business_key: str | None = None
    parent_instance: Id | None = None
    parent_token: Id | None = None
    root: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceCompleted(Event):
    """No live token is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceCancelled(Event):
    """Ended by a command or by the caller."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceFailed(Event):
    """Nothing can move without a human (semantics §1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceRecovered(Event):
    """A FAILED instance can move again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceSuspended(Event):
    """Nothing moves until it is activated."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceActivated(Event):
    """Suspension ended; `status` is RUNNING or FAILED."""

    status: str


# scopes


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeEntered(Event):
    """A scope opened; the root scope has no parent and no outer token."""

    category: ClassVar[str] = "token"
    scope: Id
    node: str
    kind: str
    parent: Id | None = None
    token: Id | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeCompleted(Event):
    """Neither a live token nor a live inner scope is left."""

    category: ClassVar[str] = "token"
    scope: Id
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeTerminated(Event):
    """Ended from outside."""

    category: ClassVar[str] = "token"
    scope: Id
    node: str
    reason: str


# tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCreated(TokenEvent):
    """A new token; `reason` says where from: start, fork, join, boundary, subprocess …."""

    scope: Id
    reason: str
    flow: str | None = None
    groups: Mapping[str, Id]
    parallel_group: Id | None = None
    mode: str = "forward"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenArrived(TokenEvent):
    """Placed at its node: Created or Completed to Ready. `phase` is `after` for the output of a join."""

    flow: str | None = None
    phase: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeExecutionStarted(TokenEvent):
    """A handler outside the transaction begins: Ready to Executing."""

    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCompleted(TokenEvent):
    """The node is done; the token moves on by `TokenArrived`, unless `final`: consumed by a fork or a join."""

    final: bool = False

    @property
    def ends_token(self) -> bool:
        """Whether a fork or a join consumed it."""
        return self.final


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBlocked(TokenEvent):
    """Ready or Executing to Waiting; `wait` is a `Wait`, `join` and `flow` are set at a join only."""

    wait: str
    join: Id | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenResumed(TokenEvent):
    """What it waited for has come: Waiting to Ready. `phase` is `after` when the node's work is done."""

    phase: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRecovered(TokenEvent):
    """Its job's lease ran out: Executing to Ready; the attempt counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenFailed(TokenEvent):
    """Cannot go on; an incident opens."""

    phase: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRetried(TokenEvent):
    """Failed to Ready."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSuspended(TokenEvent):
    """Its instance is suspended; it remembers where it came from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenActivated(TokenEvent):
    """Back to the remembered status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenTerminated(TokenEvent):
    """Ended: `reason` is `end`, or says what cancelled it."""

    reason: str

    @property
    def ends_token(self) -> bool:
        """Always."""
        return True


# joins


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinOpened(Event):
    """A join state opened. `tokens` are surplus tokens of the generation before, which now wait here."""

    category: ClassVar[str] = "token"
    join: Id
    scope: Id
    node: str
    group: Id
    kind: str
    generation: int
    expected: int
    arrived: int = 0
    tokens: tuple[Id, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinArrived(TokenEvent):
    """A token waits at a join; `arrived` counts the flows that hold at least one token."""

    join: Id
    flow: str
    arrived: int
    expected: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinGroupsMerged(Event):
    """Open states of one join fire together, because none of them can fill alone (semantics §3, fallback)."""

    category: ClassVar[str] = "token"
    node: str
    joins: tuple[Id, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinRecounted(Event):
    """Tokens left a join without firing it; `arrived` flows still hold one."""

    category: ClassVar[str] = "token"
    join: Id
    node: str
    arrived: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinFired(Event):
    """The join consumed its tokens and closed."""

    category: ClassVar[str] = "token"
    join: Id
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinClosed(Event):
    """The join closed without firing: its tokens went elsewhere or its scope ended."""

    category: ClassVar[str] = "token"
    join: Id
    node: str
    reason: str


# variables


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableSet(Event):
    """A variable has this JSON value in this scope."""

    category: ClassVar[str] = "variable"
    erasable: ClassVar[bool] = True
    scope: Id
    name: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableRemoved(Event):
    """A variable is gone from this scope."""

    category: ClassVar[str] = "variable"
    scope: Id
    name: str


# user tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTaskEvent(TokenEvent):
    """An event about a user task."""

    category: ClassVar[str] = "task"
    task: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTaskCreated(UserTaskEvent):
    """A person can do it now."""

    name: str = ""
    assignee: str | None = None
    candidate_users: tuple[str, ...] = ()
    candidate_groups: tuple[str, ...] = ()
    due_at: datetime | None = None
    follow_up_at: datetime | None = None
    priority: int = 50
    form_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTaskClaimed(UserTaskEvent):
    """Somebody took it."""

    assignee: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTaskUnclaimed(UserTaskEvent):
    """Given back to the candidates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTaskAssigned(UserTaskEvent):
    """Given to somebody, or to nobody with None."""

    assignee: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTaskCompleted(UserTaskEvent):
    """Done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTaskCancelled(UserTaskEvent):
    """Interrupted or cancelled."""

    reason: str


# external tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskEvent(TokenEvent):
    """An event about an external task."""

    category: ClassVar[str] = "external"
    task: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskCreated(ExternalTaskEvent):
    """A worker can fetch it now."""

    topic: str
    priority: int
    retries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskLocked(ExternalTaskEvent):
    """Leased to a worker until `expires_at`."""

    worker: str
    lease: int
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskLockExtended(ExternalTaskEvent):
    """The lease now ends at `expires_at`."""

    lease: int
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskLockExpired(ExternalTaskEvent):
    """The lease ran out; the task is READY again with the same retries."""

    lease: int
    worker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskUnlocked(ExternalTaskEvent):
    """Given back."""

    lease: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskCompleted(ExternalTaskEvent):
    """The worker is done; `fingerprint` tells a repeated call from another one."""

    lease: int
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskFailed(ExternalTaskEvent):
    """The worker failed; READY again from `available_at`, or FAILED with no retries left."""

    lease: int
    fingerprint: str
    retries: int
    available_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskErrorNoted(ExternalTaskEvent):
    """What the worker said about its failure."""

    category: ClassVar[str] = "incident"
    erasable: ClassVar[bool] = True
    error: str
    details: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskErrorThrown(ExternalTaskEvent):
    """The worker ended the task by a BPMN error."""

    lease: int
    fingerprint: str
    error_code: str
    caught: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskRetriesSet(ExternalTaskEvent):
    """An operator set the number of retries."""

    retries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskPrioritySet(ExternalTaskEvent):
    """An operator set the priority."""

    priority: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskRetried(ExternalTaskEvent):
    """READY again after it had failed for good."""

    retries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskCancelled(ExternalTaskEvent):
    """Interrupted or cancelled."""

    reason: str


# timers


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerScheduled(Event):
    """A due time stands in the table; `number` counts within `series`."""

    category: ClassVar[str] = "timer"
    timer: Id
    token: Id | None
    scope: Id
    node: str
    kind: str
    due_at: datetime
    series: Id
    number: int = 0
    anchor: datetime
    expression: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerFired(Event):
    """The due time came; exactly once per timer row."""

    category: ClassVar[str] = "timer"
    timer: Id
    token: Id | None
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerCancelled(Event):
    """What it would have triggered is gone."""

    category: ClassVar[str] = "timer"
    timer: Id
    token: Id | None
    node: str
    reason: str


# jobs


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEvent(TokenEvent):
    """An event about a job."""

    category: ClassVar[str] = "task"
    job: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCreated(JobEvent):
    """Due work of the engine; `passes` is set by a continuation only."""

    kind: str
    handler: str = ""
    retries: int = 3
    available_at: datetime
    passes: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStarted(JobEvent):
    """A cluster runs it; the attempt is counted before the handler begins."""

    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCompleted(JobEvent):
    """Done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFailed(JobEvent):
    """Failed; READY again from `available_at`, or FAILED with no retries left."""

    retries: int
    available_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JobErrorNoted(JobEvent):
    """What went wrong in the handler."""

    category: ClassVar[str] = "incident"
    erasable: ClassVar[bool] = True
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLeaseExpired(JobEvent):
    """Its cluster vanished; READY again, the attempt counts; `crashes` counts how often that happened."""

    crashes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRetried(JobEvent):
    """READY again after it had failed for good."""

    retries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCancelled(JobEvent):
    """Interrupted or cancelled."""

    reason: str


# incidents


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentOpened(Event):
    """Something a human must look at."""

    category: ClassVar[str] = "incident"
    incident: Id
    kind: str
    token: Id | None
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentDescribed(Event):
    """The incident in words."""

    category: ClassVar[str] = "incident"
    erasable: ClassVar[bool] = True
    incident: Id
    token: Id | None
    node: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentResolved(Event):
    """Nothing to look at any more."""

    category: ClassVar[str] = "incident"
    incident: Id
    token: Id | None
    node: str
    reason: str
