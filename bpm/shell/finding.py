"""Finding what an operator's command is about, by what stands in the tables (semantics §12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bpm.core.errors import DefinitionNotFound, InstanceNotFound
from bpm.core.ids import Id
from bpm.models import Definition, Incident, ProcessInstance

_ENDED = ("COMPLETED", "CANCELLED")


def failed_tokens(tenant: str, *, limit: int, **equal: Any) -> list[tuple[Id, Id]]:
    """Return open incidents with their tokens, the oldest first. Statements: 1.

    Args:
        equal: what a row's fields must be; None does not narrow.
    """
    given = {name: value for name, value in equal.items() if value is not None}
    rows = Incident.objects.filter(tenant=tenant, status="OPEN", token__isnull=False, **given).order_by("id")
    return [(str(incident), str(token)) for incident, token in rows.values_list("id", "token")[:limit]]


def tokens_of(tenant: str, incidents: Sequence[Id]) -> Mapping[Id, Id | None]:
    """Return incident to its token, None where it concerns the whole instance. Statements: 1."""
    rows = Incident.objects.filter(tenant=tenant, id__in=incidents).values_list("id", "token")
    return {str(incident): None if token is None else str(token) for incident, token in rows}


def has_instances(definition: Id) -> bool:
    """Return whether an instance of a version has not ended. Statements: 1."""
    return ProcessInstance.objects.filter(definition_id=definition).exclude(status__in=_ENDED).exists()


def instances_of(definition: Id, *, after: Id | None, limit: int) -> list[Id]:
    """Return instances of a version that have not ended, the oldest first. Statements: 1."""
    rows = ProcessInstance.objects.filter(definition_id=definition).exclude(status__in=_ENDED)
    if after is not None:
        rows = rows.filter(id__gt=after)
    return [str(instance) for instance in rows.order_by("id").values_list("id", flat=True)[:limit]]


def definition_of(instance: Id, tenant: str) -> Id:
    """Return the version of an instance. Statements: 1. Raises: InstanceNotFound."""
    rows = ProcessInstance.objects.filter(id=instance, tenant=tenant)
    found = rows.values_list("definition_id", flat=True).first()
    if found is None:
        raise InstanceNotFound(instance=instance)
    return str(found)


def versions_there(definitions: Sequence[Id], tenant: str) -> None:
    """Refuse unless all of them are versions of this tenant. Statements: 1. Raises: DefinitionNotFound."""
    rows = Definition.objects.filter(id__in=definitions, tenant=tenant).values_list("id", flat=True)
    found = {str(row) for row in rows}
    for definition in definitions:
        if definition not in found:
            raise DefinitionNotFound(definition=definition)


def instance_now(instance: Id) -> dict[str, Any]:
    """Return what every answer says of an instance that is there. Statements: 1."""
    row = ProcessInstance.objects.get(id=instance)
    return {
        "instance_id": instance,
        "status": row.status,
        "definition_id": str(row.definition_id),
        "process_def_id": row.definition_key,
        "business_key": row.business_key,
    }
