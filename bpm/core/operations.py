"""What operators ask of an instance: commands beside those of its ordinary life (semantics §12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bpm.core.commands import Command, JobCommand, TaskCommand, Variables
from bpm.core.graph import Graph
from bpm.core.ids import Id
from bpm.core.instructions import Instruction

OPERATOR, CALLER, DEFINITION, INVARIANT = "operator", "caller", "definition", "invariant"
"""Why an instance is suspended: somebody asked for it, its caller or its definition is, or the engine froze it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspendInstance(Command):
    """Let nothing move until the instance is activated; `because` is one of the four reasons."""

    because: str = OPERATOR


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivateInstance(Command):
    """End a suspension.

    Attributes:
        release: also of an instance that the engine froze.
        by_caller: its caller, or all of its definition, is activated; what the engine froze stays as it is.
    """

    release: bool = False
    by_caller: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FreezeInstance(Command):
    """Stop an instance of which an invariant does not hold, until an operator releases it.

    Attributes:
        evidence: what does not hold.
        bare: leave its tokens alone, because they cannot be touched.
    """

    evidence: str
    bare: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModifyInstance(Command):
    """End and start at places of the instance, in the order of the instructions."""

    instructions: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrateInstance(Command):
    """Let the instance go on in another version.

    Attributes:
        source: the version of which it has to be.
        definition, target: the other version, and its compiled graph.
        mapped: node to what it becomes.
        update_events: wait anew at events that are mapped, instead of going on waiting as before.
    """

    source: Id
    definition: Id
    target: Graph
    mapped: Mapping[str, str]
    update_events: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveVariables(Command):
    """Remove variables of exactly one scope; names that are not there are left out of the answer."""

    scope: Id
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTaskVariables(TaskCommand):
    """Set variables as seen from an open user task, or `local` to it: those vanish with it and trigger nothing."""

    variables: Variables
    local: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveTaskVariables(TaskCommand):
    """Remove local variables of an open user task."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetActivityVariables(Command):
    """Set variables local to an activity at which a token waits."""

    token: Id
    variables: Variables


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowUserTaskError(TaskCommand):
    """End a user task by a BPMN error; who may is as for `CompleteUserTask`."""

    error_code: str
    message: str = ""
    variables: Variables = field(default_factory=dict)
    user: str | None = None
    groups: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowUserTaskEscalation(TaskCommand):
    """Throw an escalation at a user task; the task goes on unless that interrupts it."""

    escalation_code: str
    variables: Variables = field(default_factory=dict)
    user: str | None = None
    groups: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateUserTask(TaskCommand):
    """Change what an open user task says.

    Attributes:
        changes: any of `name`, `assignee`, `owner`, `due_at`, `follow_up_at`, `priority`, `candidate_users`,
            `candidate_groups`; what is not named stays.
    """

    changes: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegateUserTask(TaskCommand):
    """Let somebody else do a part of a task; it comes back by `ResolveUserTask`.

    Attributes:
        by: who delegates: the assignee. None: an operator.
    """

    assignee: str
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveUserTask(TaskCommand):
    """Give a delegated task back to its owner.

    Attributes:
        by: who resolves: the assignee. None: an operator.
    """

    variables: Variables = field(default_factory=dict)
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentUserTask(TaskCommand):
    """Write something to an open user task, as `actor`; 1 to 4,000 characters."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetJobRetries(JobCommand):
    """Give a job that waits another number of retries, or try one again that has failed for good."""

    retries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeJob(JobCommand):
    """Let a job that waits become due at another time, or be taken before or after others; None leaves it."""

    available_at: datetime | None = None
    priority: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunJob(JobCommand):
    """Do a job that waits now: the engine's own at once, a handler's as soon as a cluster takes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteJob(JobCommand):
    """Do a job no more: its token fails, so that somebody says how it goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerCommand(Command):
    """A command about one scheduled timer of the instance."""

    timer: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeTimer(TimerCommand):
    """Let a timer become due at another time, or fire before or after others; None leaves it."""

    due_at: datetime | None = None
    priority: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FireTimer(TimerCommand):
    """Fire a timer now, whatever its due time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteTimer(TimerCommand):
    """Take a timer away; a token that waits for nothing else fails, so that somebody says how it goes on."""
