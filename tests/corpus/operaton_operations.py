"""What the operations of an operaton scenario do on a host. An operation that is not here is an error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from bpm.core import commands as c
from bpm.core import operations as o
from bpm.core.errors import DefinitionInvalid, LeaseConflict
from bpm.core.timing import parse_duration
from bpm.shell.topics import Topic
from tests.corpus.deploying import NOT_YET, deploy_or_later
from tests.corpus.operaton_definitions import DEFINITIONS
from tests.corpus.operaton_due_work import DUE_WORK
from tests.corpus.operaton_events import EVENTS
from tests.corpus.operaton_modification import modify
from tests.corpus.operaton_names import Names
from tests.support.corpus_scores import Later
from tests.support.hosts import Leased

Step = dict[str, Any]
Operation = Callable[[Names, Step], None]


def deploy(names: Names, step: Step) -> None:
    deploy_or_later(names.host, *step["contents"])


def expect_deploy_error(names: Names, step: Step) -> None:
    try:
        names.host.deploy(*step["contents"])
    except DefinitionInvalid as invalid:
        if all(problem.rule in NOT_YET for problem in invalid.problems):
            raise Later(invalid.problems[0].message) from None
    else:
        # What definitions forbid each other is known where they wait for triggers; else this says so.
        names.host.waiting_starts()
        raise AssertionError(f"deployed, although: {step['hint']}")


def complete_task(names: Names, step: Step) -> None:
    instance, task = names.task(step)
    names.host.execute(instance, c.CompleteUserTask(task=task.id, variables=names.variables(step)))


def claim_task(names: Names, step: Step) -> None:
    instance, task = names.task(step)
    if step["user"] is None:
        names.host.execute(instance, c.UnclaimUserTask(task=task.id))
    else:
        names.host.execute(instance, c.ClaimUserTask(task=task.id, user=step["user"], check=False))


def assign_task(names: Names, step: Step) -> None:
    instance, task = names.task(step)
    names.host.execute(instance, c.AssignUserTask(task=task.id, assignee=step["user"]))


def advance_time(names: Names, step: Step) -> None:
    now = names.host.clock.now
    names.host.clock.advance(parse_duration(step["iso_duration"]).add_to(now) - now)


def set_time(names: Names, step: Step) -> None:
    names.host.clock.now = datetime.fromisoformat(step["at"])


def reset_time(names: Names, step: Step) -> None:
    names.host.clock.now = names.start


def set_variables(names: Names, step: Step) -> None:
    variables, local = names.variables(step), bool(step.get("local"))
    command: c.Command
    if "task" in step:
        instance, task = names.task(step["task"])
        command = o.SetTaskVariables(task=task.id, variables=variables, local=local)
    elif "activity" in step and local:
        instance, token = names.token(step["activity"])
        command = o.SetActivityVariables(token=token.id, variables=variables)
    else:
        instance, scope = names.scope(step)
        command = c.SetVariables(scope=scope, variables=variables, local=local)
    names.host.execute(instance, command)


def remove_variables(names: Names, step: Step) -> None:
    instance, scope = names.scope(step)
    names.host.execute(instance, o.RemoveVariables(scope=scope, names=tuple(step["names"])))


def delete_instance(names: Names, step: Step) -> None:
    names.host.execute(names.instance(step["instance"]), c.CancelInstance(reason="deleted"))


def set_user(names: Names, step: Step) -> None:
    names.user = step["user"]


def suspend(names: Names, step: Step) -> None:
    names.host.execute(names.instance(step["instance"]), o.SuspendInstance())


def activate(names: Names, step: Step) -> None:
    names.host.execute(names.instance(step["instance"]), o.ActivateInstance())


def update_task(names: Names, step: Step) -> None:
    instance, task = names.task(step)
    changes = {name: value for name, value in step["changes"].items() if name in ("name", "priority")}
    users = list(task.candidate_users)
    for name, value in step["changes"].items():
        if name == "add_candidate_user":
            changes["candidate_users"] = [*users, value]
        elif name == "del_candidate_user":
            changes["candidate_users"] = [user for user in users if user != value]
        elif name not in changes:
            raise KeyError(name)
    names.host.execute(instance, o.UpdateUserTask(task=task.id, changes=changes))


def task_bpmn_error(names: Names, step: Step) -> None:
    instance, task = names.task(step)
    command = o.ThrowUserTaskError(
        task=task.id,
        error_code=step["code"],
        message=step.get("message") or "",
        variables=names.variables(step),
    )
    names.host.execute(instance, command)


def task_escalation(names: Names, step: Step) -> None:
    instance, task = names.task(step)
    variables = names.variables(step)
    command = o.ThrowUserTaskEscalation(task=task.id, escalation_code=step["code"], variables=variables)
    names.host.execute(instance, command)


# external tasks


def external(names: Names, step: Step) -> None:
    _EXTERNAL[step["action"]](names, step)


def _topic(names: Names, written: Step) -> Topic:
    """Return one topic of a fetch; `definitions` are versions, named by key and number."""
    known = {"topic", "lock_ms", "definitions", "definition_keys", "business_key", "variables"}
    assert written.keys() <= known, written
    versions = [
        names.host.definition(one["key"], one["version"])[0] for one in written.get("definitions", ())
    ]
    business_key = written.get("business_key")
    return Topic(
        written["topic"],
        lock_ms=written["lock_ms"],
        process_def_ids=written.get("definition_keys", ()),
        definition_ids=versions,
        business_keys=[] if business_key is None else [business_key],
        variables=written.get("variables"),
    )


def _fetch(names: Names, step: Step) -> None:
    topics = [_topic(names, written) for written in step["topics"]]
    fetched = names.host.fetch(step["worker"], topics, maximum=step["max"])
    found = [leased.task.node for leased in fetched]
    if step.get("use_priority"):
        assert found == step["expect"], f"fetched {found}"
    elif Counter(found) != Counter(step["expect"]):
        # Not asked for by priority, the peer hands out any tasks that match; here the highest priority comes first.
        prioritized = len({leased.task.priority for leased in fetched} | _priorities_left(names, fetched)) > 1
        others = {node for leased in fetched for node in names.host.graph(leased.instance).nodes}
        assert prioritized, f"fetched {found}"
        assert len(found) == len(step["expect"]), f"fetched {found}"
        assert others >= set(step["expect"]), f"fetched {found}"


def _priorities_left(names: Names, fetched: list[Leased]) -> set[int]:
    """Return the priorities of the tasks of the same instances that were left."""
    instances = {leased.instance for leased in fetched}
    return {
        task.priority
        for instance, task in names.external_tasks()
        if instance in instances and task.status == "READY"
    }


def _complete(names: Names, step: Step) -> None:
    if step.get("local_variables"):
        raise Later("local variables at the completion of an external task")
    instance, task = names.external_task(step)
    variables = names.variables(step)
    command = c.CompleteExternalTask(task=task.id, worker=step["worker"], variables=variables)
    names.host.execute(instance, command)


def _fail(names: Names, step: Step) -> None:
    instance, task = names.external_task(step)
    command = c.FailExternalTask(
        task=task.id,
        worker=step["worker"],
        error=step.get("message") or "",
        retries=step["retries"],
        retry_after_ms=step["retry_ms"],
    )
    names.host.execute(instance, command)


def _bpmn_error(names: Names, step: Step) -> None:
    instance, task = names.external_task(step)
    command = c.ThrowExternalTaskError(
        task=task.id,
        worker=step["worker"],
        error_code=step["code"],
        message=step.get("message") or "",
        variables=names.variables(step),
    )
    names.host.execute(instance, command)


def _lock(names: Names, step: Step) -> None:
    instance, task = names.external_task(step)
    command = c.LockExternalTasks(tasks=(task.id,), worker=step["worker"], lock_ms=step["lock_ms"])
    if not names.host.execute(instance, command)["locked"]:
        raise LeaseConflict


def _extend_lock(names: Names, step: Step) -> None:
    instance, task = names.external_task(step)
    command = c.ExtendExternalTaskLock(task=task.id, worker=step["worker"], lock_ms=step["lock_ms"])
    names.host.execute(instance, command)


def _unlock(names: Names, step: Step) -> None:
    instance, task = names.external_task(step)
    names.host.execute(instance, c.UnlockExternalTask(task=task.id))


def _set_retries(names: Names, step: Step) -> None:
    """Give retries; one that has none left is retried with them, by its token."""
    instance, task = names.external_task(step)
    if task.status == "FAILED" and step["retries"] > 0:
        names.host.execute(instance, c.RetryToken(token=task.token, retries=step["retries"]))
    else:
        names.host.execute(instance, c.SetExternalTaskRetries(task=task.id, retries=step["retries"]))


def _set_priority(names: Names, step: Step) -> None:
    instance, task = names.external_task(step)
    names.host.execute(instance, c.SetExternalTaskPriority(task=task.id, priority=step["priority"]))


_EXTERNAL: dict[str, Operation] = {
    "fetch": _fetch,
    "complete": _complete,
    "fail": _fail,
    "bpmn_error": _bpmn_error,
    "lock": _lock,
    "extend_lock": _extend_lock,
    "unlock": _unlock,
    "set_retries": _set_retries,
    "set_priority": _set_priority,
}

_OWN: dict[str, Operation] = {
    operation.__name__: operation
    for operation in (
        *(deploy, expect_deploy_error, complete_task, claim_task, assign_task),
        *(advance_time, set_time, reset_time, set_variables, remove_variables, delete_instance, set_user),
        *(suspend, activate, update_task, task_bpmn_error, task_escalation, external),
    )
}
OPERATIONS: dict[str, Operation] = {**_OWN, **EVENTS, **DEFINITIONS, **DUE_WORK, "modify": modify}

SLACK = timedelta(seconds=3)
"""By how much an instant may differ: some scenarios name instants of their recording, which took a few seconds."""
