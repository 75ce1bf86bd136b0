"""Suspending, activating and deleting versions of processes (semantics §12).

What has been deployed stays: a deleted version cannot be started or called any more, but the history of its instances
still shows it. Version numbers are not used again.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db import connection, transaction
from django.db.models import F

from bpm.core import commands as c
from bpm.core import operations as o
from bpm.core.errors import (
    Busy,
    DefinitionNotFound,
    DeploymentNotFound,
    EngineError,
    InstancesRunning,
    TooLarge,
)
from bpm.core.ids import Id, IdSource
from bpm.core.values import to_text
from bpm.models import Definition, DefinitionEvent, DefinitionKey
from bpm.shell.database_clock import database_now
from bpm.shell.definition_starts import arm, disarm
from bpm.shell.definitions import graph_of
from bpm.shell.execute import execute_many
from bpm.shell.finding import has_instances, instances_of
from bpm.shell.requests import Request
from bpm.shell.violations import translated

BATCH: Final = 100
"""Instances that one transaction suspends, activates or cancels."""


class Reached(NamedTuple):
    """What came of a command on all instances of a version.

    Attributes:
        changed: how many it has changed.
        missed: those that somebody else kept locked, and those that are too large for one command.
    """

    changed: int = 0
    missed: tuple[Id, ...] = ()


def set_suspended(definition: Id, tenant: str, actor: str, *, suspended: bool, instances: bool) -> Reached:
    """Suspend or activate a version, and with `instances` those that have not ended.

    The version changes in one transaction; its instances in batches after that. What is refused of one instance (it
    has ended in the meantime) leaves the others untouched.

    Raises:
        DefinitionNotFound: there is no such version, or it is deleted.
        Busy: an instance stayed locked, inside an enclosing transaction.
    """
    with translated(), transaction.atomic():
        row = lock_versions([_find(definition, tenant)])[0]
        if row.suspended != suspended:
            Definition.objects.filter(pk=row.pk).update(suspended=suspended)
            note(
                row,
                "DefinitionSuspended" if suspended else "DefinitionActivated",
                actor,
                instances=instances,
            )
    if not instances:
        return Reached()
    if suspended:
        return _for_all(definition, o.SuspendInstance(because=o.DEFINITION, actor=actor))
    return _for_all(definition, o.ActivateInstance(by_caller=True, actor=actor))


def delete_versions(definitions: Iterable[Id], tenant: str, actor: str, *, cascade: bool) -> list[Definition]:
    """Delete versions, all or none; the starts of a key's latest one go to the one before it. Return them.

    Args:
        cascade: cancel instances that have not ended.

    Raises:
        DefinitionNotFound: there is no such version, or it is deleted already.
        InstancesRunning: of some version, without `cascade`.
        DefinitionInvalid: the version before starts by a message that another process has taken by now.
    """
    wanted = [_find(definition, tenant) for definition in definitions]
    if cascade:
        for row in wanted:
            # No instance starts any more before the others are cancelled.
            set_suspended(str(row.pk), tenant, actor, suspended=True, instances=False)
            _for_all(str(row.pk), c.CancelInstance(reason="its definition was deleted", actor=actor))
    with translated(), transaction.atomic():
        now = database_now()
        rows = lock_versions(wanted)
        running = [row for row in rows if has_instances(str(row.pk))]
        if running:
            versions = [f"{row.key} version {row.version}" for row in running]
            raise InstancesRunning(f"Instances of {', '.join(versions)} have not ended.", versions=versions)
        for row in rows:
            Definition.objects.filter(pk=row.pk).update(deleted_at=now)
            note(row, "DefinitionDeleted", actor, cascade=cascade)
        for key in sorted({row.key for row in rows}):
            _choose_latest(tenant, key, now)
    return rows


def definitions_of(deployment: Id, tenant: str) -> list[Id]:
    """Return the versions of a deployment that are not deleted, by key. Statements: 1.

    Raises:
        DeploymentNotFound: there is none.
    """
    rows = Definition.objects.filter(deployment_id=deployment, tenant=tenant, deleted_at__isnull=True)
    found = [str(pk) for pk in rows.order_by("key").values_list("pk", flat=True)]
    if not found:
        raise DeploymentNotFound(deployment=deployment)
    return found


def _find(definition: Id, tenant: str) -> Definition:
    row = Definition.objects.filter(pk=definition, tenant=tenant, deleted_at__isnull=True).first()
    if row is None:
        raise DefinitionNotFound(definition=definition)
    return row


def lock_versions(wanted: list[Definition]) -> list[Definition]:
    """Lock the keys of versions, in order, and return the versions as they are under the lock.

    Raises:
        DefinitionNotFound: one has been deleted meanwhile.
    """
    keys = sorted({row.key for row in wanted})
    tenant = wanted[0].tenant
    rows = DefinitionKey.objects.filter(tenant=tenant, key__in=keys).order_by("key")
    if connection.features.has_select_for_update:
        rows = rows.select_for_update()
    list(rows)
    return [_find(str(row.pk), tenant) for row in wanted]


def _choose_latest(tenant: str, key: str, now: datetime) -> None:
    """Let the newest version that is left be the latest, and its starts wait, unless they do already."""
    row = DefinitionKey.objects.get(tenant=tenant, key=key)
    left = Definition.objects.filter(tenant=tenant, key=key, deleted_at__isnull=True)
    latest = left.order_by("-version").first()
    if latest is not None and latest.pk == row.latest_id:
        return
    DefinitionKey.objects.filter(pk=row.pk).update(latest=latest)
    disarm(tenant, key, now)
    if latest is not None and latest.executable:
        graph = graph_of(str(latest.pk))
        arm(latest, graph, latest.resource.name, IdSource(now, secrets.randbits(42)), now)


def note(row: Definition, event: str, actor: str, **payload: Any) -> None:
    """Append an event to the key's history; its row is locked."""
    keys = DefinitionKey.objects.filter(tenant=row.tenant, key=row.key)
    (sequence,) = keys.values_list("events", flat=True)
    keys.update(events=F("events") + 1)
    DefinitionEvent.objects.create(
        tenant=row.tenant,
        key=row.key,
        sequence=sequence,
        event_type=event,
        occurred_at=database_now(),
        actor=actor,
        payload=to_text({"definition": str(row.pk), "version": row.version, **payload}),
    )


def _for_all(definition: Id, command: c.Command) -> Reached:
    """Carry a command out on all instances of a version that have not ended."""
    changed, after = 0, None
    missed: list[Id] = []
    while True:
        found = instances_of(definition, after=after, limit=BATCH)
        outcomes = execute_many([Request(command, instance=instance) for instance in found])
        changed += sum(not isinstance(outcome, EngineError) and outcome.events > 0 for outcome in outcomes)
        for instance, outcome in zip(found, outcomes, strict=True):
            if isinstance(outcome, Busy) and connection.in_atomic_block:
                raise outcome
            if isinstance(outcome, Busy | TooLarge):
                missed.append(instance)
        if len(found) < BATCH:
            return Reached(changed, tuple(missed))
        after = found[-1]
