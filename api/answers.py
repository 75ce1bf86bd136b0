"""Answers of the write front door, as they go over the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NotRequired, TypedDict


class Started(TypedDict):
    """A started instance, as its first command left it."""

    instance_id: str
    status: str
    definition_id: str
    process_def_id: str
    version: NotRequired[int]
    business_key: str | None
    continuing: bool


class Changed(TypedDict):
    """An instance, as a command left it; `postponed`: as it is now, a job will do what was asked."""

    instance_id: str
    status: str
    postponed: NotRequired[bool]


class DataErased(TypedDict):
    """What an erasure did: events that it emptied, current values that it took out of rows."""

    instance_id: str
    erased_events: int
    erased_values: int


class Replay(TypedDict):
    """A replay session: `cursor` is the event as of which it shows the instance, -1 before the first."""

    session_id: str
    instance_id: str
    cursor: int
    last_sequence: int
    expires_at: datetime


class TaskChanged(TypedDict):
    """A task's instance, as a command about the task left it."""

    task_id: str
    instance_id: str
    status: str


class TaskCommented(TaskChanged):
    """A task's instance, and the comment that was written."""

    comment_id: str


class VariablesRemoved(TypedDict):
    """An instance, as the removal of variables left it; `removed` are those that were there."""

    instance_id: str
    status: str
    removed: list[str]


class ActivityVariablesSet(TypedDict):
    """An instance, and the activity's own scope in which the variables stand."""

    instance_id: str
    status: str
    scope_id: str


class TaskVariablesSet(TypedDict):
    """A task's instance; `scope_id` is the task's own scope, null unless the variables are local."""

    task_id: str
    instance_id: str
    status: str
    scope_id: str | None


class TaskVariablesRemoved(TypedDict):
    """A task's instance; `removed` are those that were there."""

    task_id: str
    instance_id: str
    status: str
    removed: list[str]


class JobChanged(TypedDict):
    """A job's instance, as a command about the job left it."""

    job_id: str
    instance_id: str
    status: str


class JobRun(TypedDict):
    """A job's instance; `done` says whether the job is done, or only due now for a cluster."""

    job_id: str
    instance_id: str
    status: str
    done: bool


class TimerChanged(TypedDict):
    """A timer's instance, as a command about the timer left it; of a timer start the one that was started, if any."""

    timer_id: str
    instance_id: str | None
    status: str | None
    definition_id: str


class RetryResult(TypedDict):
    """What became of one incident of a list."""

    status: int
    incident_id: str
    instance_id: NotRequired[str]
    instance_status: NotRequired[str]
    problem: NotRequired[dict[str, Any]]


class TokenStand(TypedDict):
    """A live token, where it stands."""

    token_id: str
    node_id: str
    scope_id: str
    status: str
    wait: str


class Modified(TypedDict):
    """An instance, as a modification left it: with the tokens that were started, or in a preview all live ones."""

    instance_id: str
    status: str
    postponed: NotRequired[bool]
    started: NotRequired[list[str]]
    tokens: NotRequired[list[TokenStand]]


class PlanMapping(TypedDict):
    """A node, and what it becomes."""

    source_node_id: str
    target_node_id: str


class PlanProblem(TypedDict):
    """What is wrong with a plan; `element` is the source node."""

    resource: str
    element: str
    line: int
    rule: str
    message: str


class PlanChecked(TypedDict):
    """A completed plan; with problems it cannot be used."""

    source_definition_id: str
    target_definition_id: str
    mappings: list[PlanMapping]
    unmapped: list[str]
    update_events: bool
    problems: list[PlanProblem]


class MigrationResult(TypedDict):
    """What became, or would become, of one instance; `tokens` stand in a preview."""

    status: int
    instance_id: str
    instance_status: NotRequired[str]
    tokens: NotRequired[list[TokenStand]]
    problem: NotRequired[dict[str, Any]]


class LockExtended(TypedDict):
    """A lease with its new end."""

    lease_id: int
    lock_expires_at: str


class FetchedTask(TypedDict):
    """A leased task with the variables seen from it."""

    task_id: str
    task_type: str
    instance_id: str
    token_id: str
    node_id: str
    process_def_id: str
    definition_id: str
    business_key: str | None
    tenant: str
    variables: dict[str, Any]
    retries: int
    lease_id: int
    lock_expires_at: str
    worker_id: str
    priority: int
    attempt: int


class ItemResult(TypedDict):
    """What became of one item of a list."""

    status: int
    task_id: str
    instance_id: NotRequired[str]
    instance_status: NotRequired[str]
    problem: NotRequired[dict[str, Any]]


class Receiver(TypedDict):
    """Who got a message; `started`: the instance began by it."""

    instance_id: str
    process_def_id: str
    definition_id: str
    business_key: str | None
    status: str
    node_id: str
    started: bool


class Correlated(TypedDict):
    """What became of a message: `outcome` is triggered, started, buffered or none."""

    message: str | None
    outcome: str
    receivers: list[Receiver]
    expires_at: str | None
    missed: list[str]


class Signalled(TypedDict):
    """How many instances get a signal, and how many are started by it."""

    signal: str
    instances: int
    starts: int


class ConditionsEvaluated(TypedDict):
    """The instances that were started."""

    started: list[Started]


class Retention(TypedDict):
    """How long ended instances of a process are kept from now on; null: for good."""

    process_def_id: str
    days: int | None
    own_rule: bool


class DefinitionSuspension(TypedDict):
    """A version, how many of its instances were suspended or activated with it, and which could not be."""

    definition_id: str
    suspended: bool
    instances: int
    missed: list[str]


class DeletedDefinition(TypedDict):
    """A version that was deleted."""

    id: str
    key: str
    version: int


class Deleted(TypedDict):
    """The versions that were deleted."""

    deleted: list[DeletedDefinition]
