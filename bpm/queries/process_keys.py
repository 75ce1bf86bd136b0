"""To which process things belong, whoever asks. One statement each; what is not in the tenant is not in the answer."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from bpm.models import Definition, ExternalTask, Incident, ProcessInstance
from bpm.queries.identifier import is_id


def keys_of_definitions(ids: Iterable[str | UUID], *, tenant: str) -> dict[UUID, str]:
    """Return definition id to key."""
    rows = Definition.objects.filter(id__in=_ids(ids), tenant=tenant)
    return dict(rows.values_list("id", "key"))


def keys_of_instances(ids: Iterable[str | UUID], *, tenant: str) -> dict[UUID, str]:
    """Return instance id to the key of its definition."""
    rows = ProcessInstance.objects.filter(id__in=_ids(ids), tenant=tenant)
    return dict(rows.values_list("id", "definition_key"))


def keys_of_incidents(ids: Iterable[str | UUID], *, tenant: str) -> dict[UUID, str]:
    """Return incident id to the key of its instance's definition."""
    rows = Incident.objects.filter(id__in=_ids(ids), tenant=tenant)
    return dict(rows.values_list("id", "instance__definition_key"))


def topics_of_tasks(ids: Iterable[str | UUID], *, tenant: str) -> dict[UUID, str]:
    """Return external task id to topic."""
    rows = ExternalTask.objects.filter(id__in=_ids(ids), tenant=tenant)
    return dict(rows.values_list("id", "topic"))


def _ids(ids: Iterable[str | UUID]) -> list[UUID]:
    return [one if isinstance(one, UUID) else UUID(one) for one in ids if isinstance(one, UUID) or is_id(one)]
