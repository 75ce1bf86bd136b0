"""Events about user tasks (semantics §5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from bpm.core.events.event import TokenEvent
from bpm.core.ids import Id


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
class UserTaskUpdated(UserTaskEvent):
    """It says something else now; `changes` are fields of the row, times as ISO 8601 text."""

    changes: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTaskDelegated(UserTaskEvent):
    """Somebody else does a part of it; `owner` gets it back."""

    assignee: str
    owner: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTaskResolved(UserTaskEvent):
    """The part is done; the owner goes on."""

    assignee: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTaskMoved(UserTaskEvent):
    """Another token waits for it from now on: one inside the scope that the activity has got."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTaskCompleted(UserTaskEvent):
    """Done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTaskCancelled(UserTaskEvent):
    """Interrupted or cancelled."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTaskCommented(UserTaskEvent):
    """Somebody wrote to it; the words stand in `CommentWritten`."""

    comment: Id
    author: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentWritten(UserTaskEvent):
    """A comment in words."""

    erasable: ClassVar[bool] = True
    comment: Id
    message: str
