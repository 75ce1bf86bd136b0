"""Commands with what the shell needs to find their instance."""

from __future__ import annotations

from typing import Any, NamedTuple

from bpm.core import between as b
from bpm.core import commands as c
from bpm.core import operations as o
from bpm.core.errors import (
    EngineError,
    InstanceNotFound,
    Invalid,
    JobNotFound,
    NotFound,
    SubscriptionNotFound,
    TaskNotFound,
    TimerNotFound,
    TokenNotFound,
)
from bpm.core.ids import Id
from bpm.shell.sql.queries import INSTANCES

EXTERNAL, USER, TOKENS, TIMERS, JOBS, SUBSCRIPTIONS, SCOPES = (
    "external_tasks",
    "user_tasks",
    "tokens",
    "timers",
    "jobs",
    "subscriptions",
    "scopes",
)

_LOCATORS: dict[type[c.Command], tuple[str, str]] = {
    c.CompleteUserTask: (USER, "task"),
    c.ClaimUserTask: (USER, "task"),
    c.UnclaimUserTask: (USER, "task"),
    c.AssignUserTask: (USER, "task"),
    c.LockExternalTasks: (EXTERNAL, "tasks"),
    c.ExpireLeases: (EXTERNAL, "tasks"),
    c.CompleteExternalTask: (EXTERNAL, "task"),
    c.FailExternalTask: (EXTERNAL, "task"),
    c.ThrowExternalTaskError: (EXTERNAL, "task"),
    c.ExtendExternalTaskLock: (EXTERNAL, "task"),
    c.UnlockExternalTask: (EXTERNAL, "task"),
    c.SetExternalTaskRetries: (EXTERNAL, "task"),
    c.SetExternalTaskPriority: (EXTERNAL, "task"),
    c.RetryToken: (TOKENS, "token"),
    c.FireTimers: (TIMERS, "timers"),
    c.StartJob: (JOBS, "job"),
    c.CompleteJob: (JOBS, "job"),
    c.FailJob: (JOBS, "job"),
    c.ThrowJobError: (JOBS, "job"),
    c.ExpireJobs: (JOBS, "jobs"),
    c.SetVariables: (SCOPES, "scope"),
    c.TriggerMessage: (SUBSCRIPTIONS, "subscription"),
    c.TriggerSignal: (SUBSCRIPTIONS, "subscriptions"),
    c.ContinueReceiveTask: (TOKENS, "token"),
    b.CompleteCall: (TOKENS, "token"),
    b.FailCall: (TOKENS, "token"),
    b.OfferFault: (TOKENS, "token"),
    b.AnswerFault: (TOKENS, "token"),
    o.RemoveVariables: (SCOPES, "scope"),
    o.SetTaskVariables: (USER, "task"),
    o.RemoveTaskVariables: (USER, "task"),
    o.SetActivityVariables: (TOKENS, "token"),
    o.ThrowUserTaskError: (USER, "task"),
    o.ThrowUserTaskEscalation: (USER, "task"),
    o.UpdateUserTask: (USER, "task"),
    o.DelegateUserTask: (USER, "task"),
    o.ResolveUserTask: (USER, "task"),
    o.CommentUserTask: (USER, "task"),
    o.SetJobRetries: (JOBS, "job"),
    o.ChangeJob: (JOBS, "job"),
    o.RunJob: (JOBS, "job"),
    o.DeleteJob: (JOBS, "job"),
    o.ChangeTimer: (TIMERS, "timer"),
    o.FireTimer: (TIMERS, "timer"),
    o.DeleteTimer: (TIMERS, "timer"),
}
"""Command class to the table of the rows it names, and the attribute that names them."""

_NOT_FOUND: dict[str, type[NotFound]] = {
    EXTERNAL: TaskNotFound,
    USER: TaskNotFound,
    TOKENS: TokenNotFound,
    TIMERS: TimerNotFound,
    JOBS: JobNotFound,
    SUBSCRIPTIONS: SubscriptionNotFound,
    INSTANCES: InstanceNotFound,
}


class Request(NamedTuple):
    """One command on its way to its instance.

    Attributes:
        tenant: the caller's; None for the engine's own loops, which serve all.
        instance: of which a command on the instance is (cancel), or has to be (variables of a scope).
        version: number of the version, where the command starts one.
    """

    command: c.Command
    tenant: str | None = None
    instance: Id | None = None
    version: int | None = None

    @property
    def table(self) -> str:
        """Table of the rows by which the instance is found."""
        located = _LOCATORS.get(type(self.command))
        return located[0] if located else INSTANCES

    @property
    def ids(self) -> tuple[Id, ...]:
        """Ids of those rows."""
        located = _LOCATORS.get(type(self.command))
        if located is None:
            return (self.instance,) if self.instance else ()
        named: Any = getattr(self.command, located[1])
        return named if isinstance(named, tuple) else (named,)

    def not_found(self) -> EngineError:
        """Return the refusal for rows that are not there, or not there for this tenant."""
        if self.table == SCOPES and self.ids[0] == self.instance:
            return InstanceNotFound(instance=self.instance)
        if self.table == SCOPES:
            return Invalid("There is no such active scope.", scope=self.ids[0])
        return _NOT_FOUND[self.table](id=self.ids[0] if self.ids else None)
