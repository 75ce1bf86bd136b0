"""External tasks of the core host: fetching and expiring leases over all instances (semantics §5)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bpm.core import commands as c
from bpm.core.ids import Id
from bpm.core.rows import ExternalStatus, InstanceStatus
from bpm.core.state import State
from bpm.core.values import to_text
from bpm.shell.topics import Topic, Topics
from tests.support.core_definitions import Definitions
from tests.support.hosts import Host, Leased


def fetch(
    host: Host,
    definitions: Definitions,
    worker: str,
    topics: Sequence[str | Topic],
    *,
    maximum: int,
    lease_ms: int,
) -> list[Leased]:
    """Lock free external tasks: by priority, then age."""
    asked = Topics(topics, lease_ms)
    wanted = {one.name: one for one in (Topic(one) if isinstance(one, str) else one for one in topics)}
    free = [
        Leased(instance, task)
        for instance, state in [(instance, host.state(instance)) for instance in host.instances()]
        for task in state.external_tasks.values()
        if task.topic in wanted
        and task.status in (ExternalStatus.READY, ExternalStatus.LOCKED)
        and _is_asked(wanted[task.topic], state, definitions)
    ]
    free.sort(key=lambda leased: (-leased.task.priority, leased.task.created_at, leased.task.id))
    got: list[Leased] = []
    for instance, task in free:
        if len(got) < maximum:
            command = c.LockExternalTasks(tasks=(task.id,), worker=worker, lock_ms=asked.lock_ms(task.topic))
            if host.execute(instance, command)["locked"]:
                got.append(Leased(instance, host.state(instance).external_tasks[task.id]))
    return got


def _is_asked(topic: Topic, state: State, definitions: Definitions) -> bool:
    """Return whether an instance is within all limits of a topic."""
    instance = state.instance
    if instance.status is InstanceStatus.SUSPENDED:
        return False
    tags = {version.tag for version in definitions if version.id == instance.definition}
    limits = (
        (topic.process_def_ids, instance.definition_key),
        (topic.definition_ids, instance.definition),
        (topic.instance_ids, instance.id),
        (topic.business_keys, instance.business_key),
    )
    return (
        all(not limit or value in limit for limit, value in limits)
        and (not topic.version_tags or bool(tags & {*topic.version_tags}))
        and all(
            found is not None and found.value == to_text(value)
            for name, value in topic.process_variables.items()
            for found in [state.variable(instance.id, name)]
        )
    )


def expired_leases(state: State, now: datetime) -> tuple[Id, ...]:
    """Return the external tasks of an instance whose lease has run out."""
    return tuple(
        task.id
        for task in state.external_tasks.values()
        if task.status is ExternalStatus.LOCKED and task.lease_expires_at and task.lease_expires_at <= now
    )
