"""What the expectations of an operaton scenario look at. One that is not here is an error."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from bpm.core.ids import Id
from bpm.core.lookup import visible_variables
from bpm.core.state import State
from bpm.core.values import from_text
from tests.corpus.operaton_history import activity_instances, instance_rows, variables_ever
from tests.corpus.operaton_names import Due, Names
from tests.corpus.operaton_operations import SLACK
from tests.corpus.operaton_tree import active_leaves, active_tree, comparable
from tests.support.corpus_scores import Later

Step = dict[str, Any]


def _same(what: str, found: Any, expected: Any) -> None:
    assert found == expected, f"{what}: found {found!r}, expected {expected!r}"


def expect_ended(names: Names, step: Step) -> None:
    status = names.state(names.instance(step["instance"])).instance.status
    assert status in ("COMPLETED", "CANCELLED"), f"the instance is {status}"


def expect_running(names: Names, step: Step) -> None:
    assert names.instance(step["instance"]) in names.running(), "the instance has ended"


def expect_instances(names: Names, step: Step) -> None:
    where = step.get("where", {})
    found = [
        instance for instance, state in names.states() if _instance_matches(names, instance, state, where)
    ]
    _same("running instances", len(found), step["count"])


def _instance_matches(names: Names, instance: Id, state: State, where: Step) -> bool:
    row = state.instance
    suspended = row.status == "SUSPENDED"
    checks: dict[str, Callable[[Any], bool]] = {
        "definition_key": lambda key: row.definition_key == key,
        "instance": lambda name: instance == names.instance(name),
        "business_key": lambda key: row.business_key == key,
        "active": lambda wanted: suspended is not wanted,
        "suspended": lambda wanted: suspended is wanted,
    }
    return all(checks[name](value) for name, value in where.items())


def _having(names: Names, step: Step) -> list[tuple[Id, State]]:
    """Return the running instances that a step speaks of."""
    found = names.states()
    if "instance" in step:
        found = [
            (instance, state) for instance, state in found if instance == names.instance(step["instance"])
        ]
    wanted = names.variables(step, "instances_with")
    return [
        (instance, state)
        for instance, state in found
        if wanted.items() <= visible_variables(state, instance).items()
    ]


# tasks


def expect_tasks(names: Names, step: Step) -> None:
    where = step.get("where", {})
    found = [task for instance, task in names.tasks() if _task_matches(names, instance, task, where)]
    if "count" in step:
        _same("tasks", len(found), step["count"])
    if "tasks" in step:
        read = [{field: getattr(task, column) for field, column in _TASK_FIELDS.items()} for task in found]
        _same("number of tasks", len(read), len(step["tasks"]))
        orders = _orders(read) if step.get("ordered") else itertools.permutations(read)
        matches = any(
            all(wanted.items() <= task.items() for wanted, task in zip(step["tasks"], order, strict=True))
            for order in orders
        )
        assert matches, f"tasks: found {read}, expected {step['tasks']}"


def _orders(tasks: list[Step]) -> Iterator[list[Step]]:
    """Yield the orders in which a query may have asked for them; the scenario does not say by what."""
    yield tasks
    for field in _TASK_FIELDS:
        yield sorted(tasks, key=lambda task: str(task[field]))


_TASK_FIELDS = {"key": "node", "name": "name", "assignee": "assignee", "priority": "priority"}


def _task_matches(names: Names, instance: Id, task: Any, where: Step) -> bool:
    suspended = names.state(instance).instance.status == "SUSPENDED"
    checks: dict[str, Callable[[Any], bool]] = {
        "instance": lambda name: instance == names.instance(name),
        "key": lambda key: task.node == key,
        "name": lambda name: task.name == name,
        "assignee": lambda user: task.assignee == user,
        "owner": lambda user: task.owner == user,
        "definition_key": lambda key: names.state(instance).instance.definition_key == key,
        "candidate_user": lambda user: task.assignee is None and user in task.candidate_users,
        "candidate_group": lambda group: task.assignee is None and group in task.candidate_groups,
        "assigned": lambda wanted: (task.assignee is not None) is wanted,
        "unassigned": lambda wanted: (task.assignee is None) is wanted,
        "active": lambda wanted: suspended is not wanted,
        "suspended": lambda wanted: suspended is wanted,
    }
    return all(checks[name](value) for name, value in where.items())


def expect_external_tasks(names: Names, step: Step) -> None:
    now = names.host.clock.now
    where = step.get("where", {})

    def locked(task: Any) -> bool:
        return task.lease_expires_at is not None and task.lease_expires_at > now

    checks: dict[str, Callable[[Id, Any, Any], bool]] = {
        "instance": lambda instance, task, name: instance == names.instance(name),
        "locked": lambda instance, task, wanted: locked(task) is wanted,
        "not_locked": lambda instance, task, wanted: locked(task) is not wanted,
    }
    found = [
        task
        for instance, task in names.external_tasks()
        if all(checks[name](instance, task, value) for name, value in where.items())
    ]
    _same("external tasks", len(found), step["count"])


# jobs, incidents, subscriptions


def expect_jobs(names: Names, step: Step) -> None:
    found = [due for due in names.jobs() if _job_matches(names, due, step.get("where", {}))]
    _same("jobs", len(found), step["count"])
    for due, expected in zip(found, step.get("jobs", ()), strict=bool(step.get("jobs"))):
        unknown = expected.keys() - {"activity", "type", "due", "priority"}
        if unknown:
            raise Later(f"{' and '.join(sorted(unknown))} of jobs")
        _same(
            "job",
            {"activity": due.activity, "type": due.type},
            {key: expected[key] for key in ("activity", "type")},
        )
        if "priority" in expected:
            _same(f"priority of {due.activity}", due.priority, expected["priority"])
        if "due" in expected:
            wanted = names.instant(expected["due"])
            assert abs(due.due_at - wanted) < SLACK, f"{due.activity} is due at {due.due_at}, not at {wanted}"


def _job_matches(names: Names, due: Due, where: Step) -> bool:
    checks: dict[str, Callable[[Any], bool]] = {
        "activity": lambda activity: due.activity == activity,
        "instance": lambda name: due.instance == names.instance(name),
        "executable": lambda wanted: _is_executable(names, due) is wanted,
        "async": lambda wanted: (due.type == "async") is wanted,
        "timers": lambda wanted: (due.type == "timer") is wanted,
    }
    return all(checks[name](value) for name, value in where.items())


def _is_executable(names: Names, due: Due) -> bool:
    if due.due_at > names.host.clock.now or (due.row is not None and due.row.status == "FAILED"):
        return False
    return due.row is None or names.state(due.instance).instance.status != "SUSPENDED"


def expect_incidents(names: Names, step: Step) -> None:
    found = [row for _, state in names.states() for row in state.incidents.values() if row.status == "OPEN"]
    _same("incidents", len(found), step["count"])


def expect_subscriptions(names: Names, step: Step) -> None:
    kinds = {"conditional": "condition", "message": "message", "signal": "signal"}
    if step.get("type", "message") not in kinds:
        raise Later(f"subscriptions of type {step['type']}")
    kind = kinds[step["type"]] if "type" in step else None
    found = [
        row
        for _, state in _having(names, step)
        for row in state.subscriptions.values()
        if row.status == "OPEN"
        and kind in (None, row.kind)
        and step.get("name", row.name) == row.name
        and step.get("activity", row.node) == row.node
    ]
    starts = [] if step.keys() & {"instance", "instances_with"} else names.host.waiting_starts()
    of_definitions = [
        start
        for start in starts
        if start.kind != "timer"
        and kind in (None, start.kind)
        and step.get("name", start.name) == start.name
        and step.get("activity", start.node) == start.node
    ]
    if "count" in step:
        _same("subscriptions", len(found) + len(of_definitions), step["count"])
    if "scopes" in step:
        _same("waiting scopes", len({row.token or row.scope for row in found}), step["scopes"])


# variables


def expect_variables(names: Names, step: Step) -> None:
    instance, scope = names.scope(step)
    state = names.state(instance)
    if step.get("local"):
        found = {name: from_text(row.value) for (at, name), row in state.variables.items() if at == scope}
    else:
        found = visible_variables(state, scope)
    expected = names.variables(step)
    read = found if step.get("exact") else {name: found.get(name) for name in expected}
    _same("variables", read, expected)


def expect_all_variables(names: Names, step: Step) -> None:
    where = step.get("where", {})
    if not where.keys() <= {"name", "instance"}:
        raise KeyError(sorted(where))
    found = [
        [name, from_text(row.value)]
        for instance, state in names.states()
        for (scope, name), row in state.variables.items()
        if state.scopes[scope].status == "ACTIVE"
        and where.get("name", name) == name
        and ("instance" not in where or instance == names.instance(where["instance"]))
    ]
    _same("number of variables", len(found), step["count"])
    if "variables" in step:
        expected = [[name, names.value(value)] for name, value in step["variables"]]
        _same("variables", sorted(found, key=repr), sorted(expected, key=repr))


# nodes


def expect_active_nodes(names: Names, step: Step) -> None:
    states = _having(names, step)
    if "activity" in step:
        leaves = [
            leaf for _, state in states for leaf in active_leaves(names.host.graph(state.instance.id), state)
        ]
        _same("active leaves", leaves.count(step["activity"]), step["count"])
    if "leaves" in step:
        leaves = [
            leaf for _, state in states for leaf in active_leaves(names.host.graph(state.instance.id), state)
        ]
        _same("active leaves", sorted(leaves), step["leaves"])
    if "tree" in step:
        ((instance, state),) = states
        found = active_tree(names.host.graph(instance), state)
        expected = {"children": step["tree"], "async": step.get("async", [])}
        _same("active nodes", comparable(found), comparable(expected))


# history


def expect_history_activities(names: Names, step: Step) -> None:
    found = activity_instances(names, step["where"])
    _same("activities of the past", len(found), step["count"])
    if "activities" in step:
        _same("activities of the past", sorted(found), step["activities"])


def expect_history_instances(names: Names, step: Step) -> None:
    _same("instances of the past", len(instance_rows(names, step.get("where", {}))), step["count"])


def expect_history_variables(names: Names, step: Step) -> None:
    _same("variables of the past", len(variables_ever(names, step.get("where", {}))), step["count"])


EXPECTATIONS: dict[str, Callable[[Names, Step], None]] = {
    name: check for name, check in globals().items() if name.startswith("expect_")
}
