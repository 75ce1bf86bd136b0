"""What a body names, held against rights that are narrowed to processes or topics.

The rule of the address has been judged before. For callers whose rights are not narrowed nothing takes a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from api.request_errors import NotAllowed
from bpm.access.caller import the_caller
from bpm.access.permissions import Permission
from bpm.engine import errors
from bpm.queries.identifier import is_id
from bpm.queries.process_keys import (
    keys_of_definitions,
    keys_of_incidents,
    keys_of_instances,
    topics_of_tasks,
)

Find = Callable[..., Mapping[UUID, str]]


def require_topics(topics: Sequence[str]) -> None:
    """Refuse topics on which the caller may not work. Raises: NotAllowed."""
    allowed = the_caller().topics()
    foreign = [] if allowed is None else [one for one in topics if one not in allowed]
    if foreign:
        raise NotAllowed("This needs the permission bpm.work for the topics.", topics=foreign)


def require_tasks(ids: Sequence[str]) -> None:
    """Refuse external tasks of other topics. At most one statement. Raises: TaskNotFound for the first of them."""
    _require(the_caller().topics(), ids, topics_of_tasks, errors.TaskNotFound)


def require_process(definition: str, permission: Permission = Permission.START) -> None:
    """Refuse a process, named by key or by the id of a version. At most one statement.

    Raises:
        NotAllowed: the caller sees it, but lacks the permission.
        DefinitionNotFound: to the caller there is none.
    """
    caller = the_caller()
    keys = caller.keys(permission)
    if keys is None or definition in keys:
        return
    key: str | None = definition
    if is_id(definition):
        key = keys_of_definitions([definition], tenant=caller.tenant).get(UUID(definition))
    if key in keys:
        return
    seen = caller.account.visibility(caller.tenant).definitions
    if key is not None and (seen is None or key in seen):
        raise NotAllowed(f"This needs the permission bpm.{permission} for this process.")
    raise errors.DefinitionNotFound(definition=definition[:100])


def require_versions(*definitions: UUID) -> None:
    """Refuse versions of processes that the caller may not operate. Raises: DefinitionNotFound."""
    _require(
        the_caller().keys(Permission.OPERATE), definitions, keys_of_definitions, errors.DefinitionNotFound
    )


def require_receiver(instance: str | None, definition: str | None) -> None:
    """Refuse an event for everybody from those who may start some processes only. At most two statements.

    Args:
        definition: the only process that may start, where the event can do nothing else.

    Raises:
        NotAllowed, InstanceNotFound, DefinitionNotFound.
    """
    keys = the_caller().keys(Permission.START)
    if keys is None:
        return
    if instance is None and definition is None:
        raise NotAllowed("Your right is for some processes: name the instance, or the process that starts.")
    if instance is not None:
        _require(keys, [instance], keys_of_instances, errors.InstanceNotFound)
    if definition is not None:
        require_process(definition)


def require_incidents(named: Sequence[UUID] | None, filters: Mapping[str, Any]) -> None:
    """Refuse a bulk retry that may touch other processes than the caller's. At most one statement.

    Raises:
        NotAllowed: nothing says of which process.
        IncidentNotFound, InstanceNotFound, DefinitionNotFound.
    """
    keys = the_caller().keys(Permission.OPERATE)
    if keys is None:
        return
    if named is not None:
        _require(keys, named, keys_of_incidents, errors.IncidentNotFound)
    elif filters["instance_id"] is not None:
        _require(keys, [filters["instance_id"]], keys_of_instances, errors.InstanceNotFound)
    elif filters["definition_id"] is not None:
        _require(keys, [filters["definition_id"]], keys_of_definitions, errors.DefinitionNotFound)
    elif filters["process_def_id"] is None:
        raise NotAllowed("Your right is for some processes: say which by process_def_id.")
    elif filters["process_def_id"] not in keys:
        raise NotAllowed("This needs the permission bpm.operate for this process.")


def require_deployed(answer: Mapping[str, Any]) -> None:
    """Refuse what has just been deployed; the caller rolls it back. Raises: NotAllowed."""
    keys = the_caller().keys(Permission.DEPLOY)
    deployed = {one["key"] for one in answer["definitions"]}
    if keys is not None and not deployed <= keys:
        raise NotAllowed(
            "This needs the permission bpm.deploy for every process in the files.",
            processes=sorted(deployed - keys),
        )


def deploys_some() -> bool:
    """Return whether the caller may deploy some processes only."""
    return the_caller().keys(Permission.DEPLOY) is not None


def _require(
    allowed: frozenset[str] | None, ids: Iterable[str | UUID], find: Find, missing: type[errors.NotFound]
) -> None:
    if allowed is None:
        return
    named = list(ids)
    found = find(named, tenant=the_caller().tenant)
    for one in named:
        known = found.get(one if isinstance(one, UUID) else UUID(one)) if _is_id(one) else None
        if known not in allowed:
            raise missing(id=str(one)[:100])


def _is_id(one: str | UUID) -> bool:
    return isinstance(one, UUID) or is_id(one)
