"""All commands, one line each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from bpm.core import between as b
from bpm.core import commands as c
from bpm.core.handling import (
    calls,
    external_tasks,
    instances,
    jobs,
    subscriptions,
    timers,
    tokens,
    user_tasks,
)
from bpm.core.handling.operations import OPERATIONS
from bpm.core.run import Run

HANDLERS: Final[dict[type[c.Command], Callable[[Run, Any], dict[str, Any]]]] = {
    c.StartInstance: instances.start,
    c.CancelInstance: instances.cancel,
    c.CompleteUserTask: user_tasks.complete,
    c.ClaimUserTask: user_tasks.claim,
    c.UnclaimUserTask: user_tasks.unclaim,
    c.AssignUserTask: user_tasks.assign,
    c.LockExternalTasks: external_tasks.lock,
    c.ExpireLeases: external_tasks.expire,
    c.CompleteExternalTask: external_tasks.complete,
    c.FailExternalTask: external_tasks.fail,
    c.ThrowExternalTaskError: external_tasks.throw_error,
    c.ExtendExternalTaskLock: external_tasks.extend,
    c.UnlockExternalTask: external_tasks.unlock,
    c.SetExternalTaskRetries: external_tasks.set_retries,
    c.SetExternalTaskPriority: external_tasks.set_priority,
    c.RetryToken: tokens.retry,
    c.FireTimers: timers.fire,
    c.StartJob: jobs.start,
    c.CompleteJob: jobs.report,
    c.FailJob: jobs.report,
    c.ThrowJobError: jobs.report,
    c.ExpireJobs: jobs.expire,
    c.TriggerMessage: subscriptions.trigger_message,
    c.TriggerSignal: subscriptions.trigger_signal,
    c.ContinueReceiveTask: subscriptions.continue_receive_task,
    b.CompleteCall: calls.complete,
    b.FailCall: calls.fail,
    b.OfferFault: calls.offer_fault,
    b.AnswerFault: calls.answer_fault,
    b.EndByFault: calls.end_by_fault,
    b.FinishFault: calls.finish_fault,
    b.NoteDropped: calls.note_dropped,
    b.NoteUndeliverable: calls.note_undeliverable,
    **OPERATIONS,
}
"""Command class to what it does; the result is the command's own part of the answer."""
