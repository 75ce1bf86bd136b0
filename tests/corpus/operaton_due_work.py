"""Operations of an operaton scenario on jobs: running, changing and deleting one, or running all that are due."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bpm.core import operations as o
from bpm.core.commands import Command
from bpm.core.rows import Timer
from tests.corpus.operaton_names import Due, Names
from tests.support.corpus_scores import Later

Step = dict[str, Any]


def run_job(names: Names, step: Step) -> None:
    due = names.job(step)
    row = _row(due)
    command: Command = o.FireTimer(timer=row.id) if isinstance(row, Timer) else o.RunJob(job=row.id)
    names.host.execute(due.instance, command)


def set_job(names: Names, step: Step) -> None:
    due = names.job(step)
    for name, value in step["changes"].items():
        names.host.execute(due.instance, _change(names, due, name, value))


def _change(names: Names, due: Due, name: str, value: Any) -> Command:
    row = _row(due)
    if name == "due":
        at = names.instant(value)
        if isinstance(row, Timer):
            return o.ChangeTimer(timer=row.id, due_at=at)
        return o.ChangeJob(job=row.id, available_at=at)
    if name == "retries" and not isinstance(row, Timer):
        return o.SetJobRetries(job=row.id, retries=value)
    if name == "priority":
        if isinstance(row, Timer):
            return o.ChangeTimer(timer=row.id, priority=value)
        return o.ChangeJob(job=row.id, priority=value)
    if name == "retries":
        raise Later(f"the {name} of a {due.type} job")
    raise KeyError(name)


def delete_job(names: Names, step: Step) -> None:
    due = names.job(step)
    row = _row(due)
    command: Command = o.DeleteTimer(timer=row.id) if isinstance(row, Timer) else o.DeleteJob(job=row.id)
    names.host.execute(due.instance, command)


def _row(due: Due) -> Any:
    if due.row is None:
        raise Later("an operation on the timer start of a definition")
    return due.row


def run_due_jobs(names: Names, step: Step) -> None:
    while names.host.run_due():
        pass


DUE_WORK: dict[str, Callable[[Names, Step], None]] = {
    operation.__name__: operation for operation in (run_job, set_job, delete_job, run_due_jobs)
}
