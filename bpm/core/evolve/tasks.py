"""What events about external and user tasks change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from bpm.core import events as e
from bpm.core.rows import PENDING, RESOLVED, Comment, ExternalStatus, ExternalTask, UserStatus, UserTask
from bpm.core.state import State

_X = ExternalStatus


def _user_created(state: State, event: e.UserTaskCreated, at: datetime) -> None:
    row = UserTask(
        id=event.task,
        token=event.token,
        node=event.node,
        name=event.name,
        status=UserStatus.OPEN,
        assignee=event.assignee,
        owner=None,
        candidate_users=event.candidate_users,
        candidate_groups=event.candidate_groups,
        due_at=event.due_at,
        follow_up_at=event.follow_up_at,
        priority=event.priority,
        form_key=event.form_key,
        created_at=at,
        closed_at=None,
    )
    state.put(state.user_tasks, row.id, row)


def _user(state: State, event: e.UserTaskEvent, **changes: Any) -> None:
    row = state.user_tasks[event.task]
    state.put(state.user_tasks, row.id, row._replace(**changes))


def _user_assigned(state: State, event: e.UserTaskClaimed | e.UserTaskAssigned, at: datetime) -> None:
    _user(state, event, assignee=event.assignee)


def _user_unclaimed(state: State, event: e.UserTaskUnclaimed, at: datetime) -> None:
    _user(state, event, assignee=None)


_TIMES = frozenset({"due_at", "follow_up_at"})
_TUPLES = frozenset({"candidate_users", "candidate_groups"})


def _user_updated(state: State, event: e.UserTaskUpdated, at: datetime) -> None:
    changes = dict(event.changes)
    for name in _TIMES & changes.keys():
        changes[name] = datetime.fromisoformat(changes[name]) if changes[name] is not None else None
    for name in _TUPLES & changes.keys():
        changes[name] = tuple(changes[name])
    _user(state, event, **changes)


def _user_delegated(state: State, event: e.UserTaskDelegated, at: datetime) -> None:
    _user(state, event, assignee=event.assignee, owner=event.owner, delegation=PENDING)


def _user_resolved(state: State, event: e.UserTaskResolved, at: datetime) -> None:
    _user(state, event, assignee=event.assignee, delegation=RESOLVED)


def _user_moved(state: State, event: e.UserTaskMoved, at: datetime) -> None:
    _user(state, event, token=event.token)


def _user_completed(state: State, event: e.UserTaskCompleted, at: datetime) -> None:
    _user(state, event, status=UserStatus.COMPLETED, closed_at=at)


def _user_cancelled(state: State, event: e.UserTaskCancelled, at: datetime) -> None:
    _user(state, event, status=UserStatus.CANCELLED, closed_at=at)


def _commented(state: State, event: e.UserTaskCommented, at: datetime) -> None:
    row = Comment(event.comment, event.task, event.node, event.author, "", at)
    state.put(state.comments, row.id, row)


def _comment_written(state: State, event: e.CommentWritten, at: datetime) -> None:
    row = state.comments[event.comment]
    state.put(state.comments, row.id, row._replace(message=event.message))


def _created(state: State, event: e.ExternalTaskCreated, at: datetime) -> None:
    row = ExternalTask(
        id=event.task,
        token=event.token,
        node=event.node,
        topic=event.topic,
        status=_X.READY,
        priority=event.priority,
        retries=event.retries,
        initial_retries=event.retries,
        worker=None,
        lease=0,
        lease_expires_at=None,
        available_at=at,
        expiries=0,
        failures=0,
        error=None,
        error_details=None,
        outcome=None,
        created_at=at,
        closed_at=None,
    )
    state.put(state.external_tasks, row.id, row)


def _external(state: State, event: e.ExternalTaskEvent, **changes: Any) -> None:
    row = state.external_tasks[event.task]
    state.put(state.external_tasks, row.id, row._replace(**changes))


_UNLEASED: dict[str, Any] = {"worker": None, "lease_expires_at": None}


def _locked(state: State, event: e.ExternalTaskLocked, at: datetime) -> None:
    _external(
        state,
        event,
        status=_X.LOCKED,
        worker=event.worker,
        lease=event.lease,
        lease_expires_at=event.expires_at,
        outcome=None,
    )


def _extended(state: State, event: e.ExternalTaskLockExtended, at: datetime) -> None:
    _external(state, event, lease_expires_at=event.expires_at)


def _expired(state: State, event: e.ExternalTaskLockExpired, at: datetime) -> None:
    expiries = state.external_tasks[event.task].expiries + 1
    _external(state, event, status=_X.READY, expiries=expiries, available_at=at, **_UNLEASED)


def _unlocked(state: State, event: e.ExternalTaskUnlocked, at: datetime) -> None:
    _external(state, event, status=_X.READY, available_at=at, **_UNLEASED)


def _completed(state: State, event: e.ExternalTaskCompleted, at: datetime) -> None:
    outcome = f"complete:{event.fingerprint}"
    _external(state, event, status=_X.COMPLETED, outcome=outcome, closed_at=at, **_UNLEASED)


def _failed(state: State, event: e.ExternalTaskFailed, at: datetime) -> None:
    failures = state.external_tasks[event.task].failures + 1
    _external(
        state,
        event,
        status=_X.READY if event.retries > 0 else _X.FAILED,
        retries=event.retries,
        available_at=event.available_at,
        failures=failures,
        outcome=f"fail:{event.fingerprint}",
        **_UNLEASED,
    )


def _error_thrown(state: State, event: e.ExternalTaskErrorThrown, at: datetime) -> None:
    outcome = f"bpmn-error:{event.fingerprint}"
    if event.caught:
        _external(state, event, status=_X.COMPLETED, outcome=outcome, closed_at=at, **_UNLEASED)
    else:
        _external(state, event, status=_X.FAILED, outcome=outcome, **_UNLEASED)


def _error_noted(state: State, event: e.ExternalTaskErrorNoted, at: datetime) -> None:
    _external(state, event, error=event.error, error_details=event.details)


def _retries_set(state: State, event: e.ExternalTaskRetriesSet, at: datetime) -> None:
    _external(state, event, retries=event.retries)


def _priority_set(state: State, event: e.ExternalTaskPrioritySet, at: datetime) -> None:
    _external(state, event, priority=event.priority)


def _retried(state: State, event: e.ExternalTaskRetried, at: datetime) -> None:
    _external(
        state,
        event,
        status=_X.READY,
        retries=event.retries,
        available_at=at,
        expiries=0,
        closed_at=None,
        **_UNLEASED,
    )


def _cancelled(state: State, event: e.ExternalTaskCancelled, at: datetime) -> None:
    _external(state, event, status=_X.CANCELLED, closed_at=at, **_UNLEASED)


APPLY: dict[type[e.Event], Callable[[State, Any, datetime], None]] = {
    e.UserTaskCreated: _user_created,
    e.UserTaskClaimed: _user_assigned,
    e.UserTaskUnclaimed: _user_unclaimed,
    e.UserTaskAssigned: _user_assigned,
    e.UserTaskUpdated: _user_updated,
    e.UserTaskDelegated: _user_delegated,
    e.UserTaskResolved: _user_resolved,
    e.UserTaskMoved: _user_moved,
    e.UserTaskCompleted: _user_completed,
    e.UserTaskCancelled: _user_cancelled,
    e.UserTaskCommented: _commented,
    e.CommentWritten: _comment_written,
    e.ExternalTaskCreated: _created,
    e.ExternalTaskLocked: _locked,
    e.ExternalTaskLockExtended: _extended,
    e.ExternalTaskLockExpired: _expired,
    e.ExternalTaskUnlocked: _unlocked,
    e.ExternalTaskCompleted: _completed,
    e.ExternalTaskFailed: _failed,
    e.ExternalTaskErrorThrown: _error_thrown,
    e.ExternalTaskErrorNoted: _error_noted,
    e.ExternalTaskRetriesSet: _retries_set,
    e.ExternalTaskPrioritySet: _priority_set,
    e.ExternalTaskRetried: _retried,
    e.ExternalTaskCancelled: _cancelled,
}
