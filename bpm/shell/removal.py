"""Removing ended instances with all that belongs to them, in small batches (docs/how-to/retain-and-erase.md).

An instance goes together with all that it called, and only when all of it has ended and nothing of it is on its way.
Each batch is a transaction of its own: what was removed before an interruption stays removed, and the next run goes on.
"""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.db import connection, models, transaction

from bpm.models import (
    Definition,
    DefinitionKey,
    Outbox,
    ProcessInstance,
    UserTask,
    UserTaskCandidate,
)
from bpm.shell.definition_operations import note
from bpm.shell.export import export_lines
from bpm.shell.retention import changing_history
from bpm.shell.retention_rules import Expired, expired
from bpm.shell.sql.owned_rows import owned_rows

BATCH: Final = 50
"""Instances, with what they called, that one transaction removes."""
_ENDED: Final = ("COMPLETED", "CANCELLED")


@dataclass(frozen=True, slots=True)
class Removed:
    """What one batch has removed.

    Attributes:
        file: where the histories are, if they were exported.
    """

    tenant: str
    key: str
    instances: int
    events: int
    file: Path | None


def remove_expired(
    *, key: str | None = None, folder: Path | None = None, pace: float = 1.0, actor: str = ""
) -> Iterator[Removed]:
    """Remove ended instances whose time is over; yield after each batch.

    Args:
        key: of one process only.
        folder: export each batch there first, as one compressed file of JSON lines.
        pace: seconds of rest per second of work, so that running instances are not disturbed.

    Statements: 5 to find the first batch and 2 for each later one, 38 to remove it, 3 and more to export an instance.
    """
    for process in expired(key):
        after: UUID | None = None
        while True:
            began = time.monotonic()
            roots = _find(process, after)
            if not roots:
                break
            after = roots[-1]
            removed = _remove(process, roots, folder, actor)
            if removed.instances:
                yield removed
            time.sleep(pace * (time.monotonic() - began))


def count_expired(*, key: str | None = None) -> int:
    """Return how many instances would go now, without those that they called. Statements: 3, and 1 per process."""
    return sum(_rows(process).count() for process in expired(key))


def _rows(process: Expired) -> models.QuerySet[ProcessInstance]:
    versions = Definition.objects.filter(tenant=process.tenant, key=process.key).values_list("id", flat=True)
    return ProcessInstance.objects.filter(
        definition__in=list(versions),
        tenant=process.tenant,
        parent_instance__isnull=True,
        status__in=_ENDED,
        ended_at__lt=process.before,
    )


def _find(process: Expired, after: UUID | None) -> list[UUID]:
    rows = _rows(process).order_by("id")
    if after is not None:
        rows = rows.filter(id__gt=after)
    return list(rows.values_list("id", flat=True)[:BATCH])


def _remove(process: Expired, roots: Sequence[UUID], folder: Path | None, actor: str) -> Removed:
    file, exported = None, None
    if folder:
        # Files are written before the transaction, which then takes only what is as it was exported.
        known = _complete_trees(roots, locked=False)
        exported = _heads(known)
        file = _export(process, known, folder) if known else None
    with transaction.atomic():
        # Keys are locked before instances (semantics §11).
        DefinitionKey.objects.select_for_update().filter(tenant=process.tenant, key=process.key).first()
        trees = _complete_trees(roots, locked=True)
        if exported is not None:
            now = _heads(trees)
            trees = {
                root: tree
                for root, tree in trees.items()
                if all(exported.get(one) == now[one] for one in tree)
            }
        members = [member for tree in trees.values() for member in tree]
        events = _delete(members) if members else 0
        if members:
            _note(process, len(members), members[0], file, actor)
    return Removed(process.tenant, process.key, len(members), events, file)


def _heads(trees: dict[UUID, list[UUID]]) -> dict[UUID, tuple[int, int]]:
    """Return instance to the sequence of its newest event and its revision; an erasure changes both."""
    members = [member for tree in trees.values() for member in tree]
    rows = ProcessInstance.objects.filter(id__in=members).values_list("id", "last_sequence", "revision")
    return {instance: (sequence, revision) for instance, sequence, revision in rows}


def _complete_trees(roots: Sequence[UUID], *, locked: bool) -> dict[UUID, list[UUID]]:
    """Return root to all its instances, of those where everything has ended and nothing is on its way."""
    rows = ProcessInstance.objects.all()
    if locked:
        rows = rows.select_for_update(skip_locked=True, no_key=True)
    found = list(rows.filter(id__in=roots).order_by("id").values_list("id", flat=True))
    trees = {root: [root] for root in found}
    alive: set[UUID] = set()
    level = found
    while level:
        called = list(
            ProcessInstance.objects.filter(parent_instance__in=level).values_list("id", "root", "status")
        )
        for instance, root, status in called:
            trees[root].append(instance)
            if status not in _ENDED:
                alive.add(root)
        level = [instance for instance, _, _ in called]
    owner = {member: root for root, members in trees.items() for member in members}
    for field in ("source", "target"):
        sent = Outbox.objects.filter(**{f"{field}__in": list(owner)}).values_list(field, flat=True)
        alive |= {owner[instance] for instance in sent}
    return {root: members for root, members in trees.items() if root not in alive}


def _delete(members: list[UUID]) -> int:
    tasks = UserTask.objects.filter(instance_id__in=members).values_list("id", flat=True)
    UserTaskCandidate.objects.filter(task__in=list(tasks)).delete()
    events = 0
    ids = [member.hex if connection.vendor == "sqlite" else member for member in members]
    places = ", ".join(["%s"] * len(ids))
    with changing_history(), connection.cursor() as cursor:
        for table, part in owned_rows():
            cursor.execute(f"DELETE FROM {table} WHERE instance_id IN ({places}){part}", ids)  # noqa: S608
            events += cursor.rowcount if table == "bpm_historyevent" else 0
        cursor.execute(f"DELETE FROM bpm_processinstance WHERE id IN ({places})", ids)  # noqa: S608
    return events


def _export(process: Expired, trees: dict[UUID, list[UUID]], folder: Path) -> Path:
    """Write the histories to a file of their own; it is there as a whole, and safely, before anything is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    first = next(iter(trees))
    name = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in process.key)
    path = folder / f"{name}-{first}.jsonl.gz"
    partial = path.with_suffix(".partial")
    with partial.open("wb") as raw:
        with gzip.open(raw, "wt", encoding="utf-8") as lines:
            for member in (member for members in trees.values() for member in members):
                lines.writelines(export_lines(str(member)))
        raw.flush()
        os.fsync(raw.fileno())
    partial.replace(path)
    entry = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(entry)
    finally:
        os.close(entry)
    return path


def _note(process: Expired, instances: int, first: UUID, file: Path | None, actor: str) -> None:
    newest = Definition.objects.filter(tenant=process.tenant, key=process.key).order_by("-version").first()
    assert newest is not None, "an instance has a definition"
    details: dict[str, Any] = {
        "instances": instances,
        "first": str(first),
        "before": process.before.isoformat(),
    }
    note(newest, "InstancesRemoved", actor, **details, file=None if file is None else file.name)
