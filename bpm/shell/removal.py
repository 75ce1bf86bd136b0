"""Removing ended instances with all that belongs to them, in small batches (docs/how-to/retain-and-erase.md).

An instance goes together with all that it called, and only when all of it has ended and nothing of it is on its way.
Each batch is a transaction of its own: what was removed before an interruption stays removed, and the next run goes on.
"""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.db import connection, models, transaction

from bpm.core.ids import IdSource
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

BATCH: Final = 200
"""Instances, with what they called, that one transaction removes: most of its cost does not depend on how many."""
EVENTS: Final = 10_000
"""A batch ends with the instance that brings it to so many events, so that long histories make short batches."""
PACE: Final = 4.0
"""Seconds of rest per second of work. A busy database makes batches slower, and so the rests longer."""
_ENDED: Final = ("COMPLETED", "CANCELLED")
_MILLISECOND: Final = timedelta(milliseconds=1)
_NAMED: Final = 1_000
"""Instances that one statement names."""
_HISTORY: Final = "bpm_historyevent"


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
    *, key: str | None = None, folder: Path | None = None, pace: float = PACE, actor: str = ""
) -> Iterator[Removed]:
    """Remove ended instances whose time is over; yield after each batch.

    Args:
        key: of one process only.
        folder: export each batch there first, as one compressed file of JSON lines.
        pace: seconds of rest per second of work, so that running instances are not disturbed.

    Statements: 3, 1 per process, 1 per version, 1 to find each batch and 38 to remove it, 3 and more to export an
    instance.
    """
    for process in expired(key):
        for version in _versions(process):
            after: UUID | None = None
            while True:
                began = time.monotonic()
                roots = _find(process, version, after)
                if not roots:
                    break
                after = roots[-1]
                removed = _remove(process, roots, folder, actor)
                worked_s = time.monotonic() - began
                if removed.instances:
                    yield removed
                time.sleep(pace * worked_s)


def count_expired(*, key: str | None = None) -> int:
    """Return how many instances would go now, without those that they called.

    Statements: 3, 1 per process and 1 per version.
    """
    return sum(_rows(one, version).count() for one in expired(key) for version in _versions(one))


def _versions(process: Expired) -> list[UUID]:
    rows = Definition.objects.filter(tenant=process.tenant, key=process.key)
    return list(rows.order_by("version").values_list("id", flat=True))


def _rows(process: Expired, version: UUID) -> models.QuerySet[ProcessInstance]:
    """Return what has expired, by a condition that looks only at instances that began before that moment.

    An id begins with the time of the start, and no instance ends before it starts; so the index of a version's
    instances is read no further than where the first one is that may not go yet.
    """
    return ProcessInstance.objects.filter(
        definition=version,
        id__lt=IdSource(process.before + _MILLISECOND, 0).next(),
        parent_instance__isnull=True,
        status__in=_ENDED,
        ended_at__lt=process.before,
    )


def _find(process: Expired, version: UUID, after: UUID | None) -> list[UUID]:
    rows = _rows(process, version).order_by("id")
    if after is not None:
        rows = rows.filter(id__gt=after)
    found: list[UUID] = []
    events = 0
    for instance, last in rows.values_list("id", "last_sequence")[:BATCH]:
        found.append(instance)
        events += last + 1
        if events >= EVENTS:
            break
    return found


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
        events = sum(_delete(part) for part in _parts(members))
        if members:
            _note(process, len(members), members[0], file, actor)
    return Removed(process.tenant, process.key, len(members), events, file)


def _heads(trees: dict[UUID, list[UUID]]) -> dict[UUID, tuple[int, int]]:
    """Return instance to the sequence of its newest event and its revision; an erasure changes both."""
    found: dict[UUID, tuple[int, int]] = {}
    for part in _parts([member for tree in trees.values() for member in tree]):
        rows = ProcessInstance.objects.filter(id__in=part).values_list("id", "last_sequence", "revision")
        found |= {instance: (sequence, revision) for instance, sequence, revision in rows}
    return found


def _parts(members: Sequence[UUID]) -> Iterator[Sequence[UUID]]:
    """Yield them in parts that a statement can name; an instance may have called any number of others."""
    for start in range(0, len(members), _NAMED):
        yield members[start : start + _NAMED]


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
        called = [
            row
            for part in _parts(level)
            for row in ProcessInstance.objects.filter(parent_instance__in=part).values_list(
                "id", "root", "status"
            )
        ]
        for instance, root, status in called:
            trees[root].append(instance)
            if status not in _ENDED:
                alive.add(root)
        level = [instance for instance, _, _ in called]
    owner = {member: root for root, members in trees.items() for member in members}
    for field in ("source", "target"):
        for part in _parts(list(owner)):
            sent = Outbox.objects.filter(**{f"{field}__in": part}).values_list(field, flat=True)
            alive |= {owner[instance] for instance in sent}
    return {root: members for root, members in trees.items() if root not in alive}


def _delete(members: Sequence[UUID]) -> int:
    tasks = UserTask.objects.filter(instance_id__in=members).values_list("id", flat=True)
    UserTaskCandidate.objects.filter(task__in=list(tasks)).delete()
    events = 0
    ids = [member.hex if connection.vendor == "sqlite" else member for member in members]
    places = ", ".join(["%s"] * len(ids))
    with connection.cursor() as cursor:
        for table, part in owned_rows():
            # Of the history alone: the retention role, if there is one, has no right to anything else.
            with changing_history() if table == _HISTORY else nullcontext():
                cursor.execute(f"DELETE FROM {table} WHERE instance_id IN ({places}){part}", ids)  # noqa: S608
            events += cursor.rowcount if table == _HISTORY else 0
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
