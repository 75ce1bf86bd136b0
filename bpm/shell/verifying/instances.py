"""Verifying instances: some of them, or all, a group in one snapshot of the database."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from django.db import DatabaseError

from bpm.core.ids import NIL, Id
from bpm.core.state import State
from bpm.models import ProcessInstance, UserTaskCandidate
from bpm.shell.codec import states_from
from bpm.shell.garbage import CollectionPaused
from bpm.shell.snapshot import one_snapshot
from bpm.shell.sql import dialect
from bpm.shell.stored_history import StoredEvent, stored_events, stored_together
from bpm.shell.verifying.findings import ROWS_DIFFER, Finding, Verified
from bpm.shell.verifying.histories import CheckedHistory
from bpm.shell.verifying.neighbours import Neighbours
from bpm.shell.verifying.parting import parting_events
from bpm.shell.verifying.rows import (
    candidate_findings,
    column_findings,
    difference_finding,
    differences,
    rule_findings,
)

GROUP_INSTANCES: Final = 50
GROUP_EVENTS: Final = 5_000
"""Bounds of what is read in one snapshot and held at a time; a longer history is alone, and read page by page."""

_PAGE: Final = 500

_log = logging.getLogger(__name__)


def verify_each(instances: Iterable[tuple[Id, int]]) -> Iterator[Verified]:
    """Yield the result for each instance.

    Args:
        instances: id and how many events it has, about.

    Statements: those of `verify_instances` for each group of at most 50.
    """
    group: list[Id] = []
    events = 0
    for instance, number in instances:
        if group and (len(group) == GROUP_INSTANCES or events + number > GROUP_EVENTS):
            yield from verify_instances(group)
            group, events = [], 0
        group.append(instance)
        events += number
    if group:
        yield from verify_instances(group)


def changed_since(since: datetime | None = None, *, after: Id = NIL) -> Iterator[tuple[Id, int]]:
    """Yield all instances in the order of their ids, or those that have changed since a moment, with their events.

    Statements: 1 per 500.
    """
    while True:
        rows = (
            ProcessInstance.objects.filter(id__gt=after)
            .order_by("id")
            .values_list("id", "last_sequence", "updated_at")
        )
        page = list(rows[:_PAGE])
        for row, sequence, updated_at in page:
            if since is None or updated_at >= since:
                yield str(row), sequence + 1
        if len(page) < _PAGE:
            return
        after = str(page[-1][0])


def verify_instances(instances: Sequence[Id]) -> list[Verified]:
    """Verify instances in one snapshot, whatever others write meanwhile; those that are not there are left out.

    Statements: 2 to 5 (rows, events; candidates where there are user tasks; callers, called and others that are named),
    with more than 5,000 events also 1 per 1,000 of each; a few more where something is wrong.
    """
    with CollectionPaused(), one_snapshot():
        return _verify_group(instances)


def _verify_group(instances: Sequence[Id]) -> list[Verified]:
    _, rows = dialect().read_everything(instances, ended=True)
    try:
        states = states_from(rows, everything=True)
    except (LookupError, TypeError, ValueError) as error:
        if len(instances) > 1:
            return [result for instance in instances for result in _verify_group([instance])]
        return [_unreadable(instances[0], error)]
    candidates = _candidates(states.values())
    neighbours = Neighbours(states.values()).read()
    events = stored_together(list(states), GROUP_EVENTS) or {}
    found = []
    for instance, state in states.items():
        verified = Verified(instance=instance, tenant=state.instance.tenant)
        try:
            _verify(verified, state, events.get(instance) or stored_events(instance))
            verified.add(*column_findings(state, rows), *candidate_findings(state, candidates))
            verified.add(*neighbours.findings(state))
        except DatabaseError:
            raise
        except Exception as error:  # noqa: BLE001 - one instance must not keep the others from being verified
            _log.exception("instance %s cannot be verified", instance)
            text = f"it cannot be verified: {type(error).__name__} {error}"
            verified.add(Finding(ROWS_DIFFER, "", "", text))
        found.append(verified)
    return found


def _unreadable(instance: Id, error: Exception) -> Verified:
    """Return the result where a row holds what no row of its table can hold."""
    verified = Verified(instance=instance)
    text = f"its rows cannot be read: {type(error).__name__} {error}"
    verified.add(Finding(ROWS_DIFFER, "", "", text))
    CheckedHistory(verified).read(stored_events(instance))
    return verified


def _verify(verified: Verified, state: State, events: Iterable[StoredEvent]) -> None:
    history = CheckedHistory(verified)
    history.read(events)
    instance = state.instance
    if instance.sequence != verified.through:
        text = f"the instance is at event {instance.sequence}, the history at {verified.through}"
        verified.add(Finding("SequenceGap", "instance", "last_sequence", text))
    if instance.head != verified.head:
        text = "the newest hash on the instance is not that of the newest event"
        verified.add(Finding("ChainBroken", "instance", "head", text, verified.through))
    folded = history.state
    if folded is not None:
        parted = list(differences(folded, state))
        sequences = parting_events(verified.instance, parted) if parted else []
        for difference, sequence in zip(parted, sequences, strict=True):
            verified.add(difference_finding(difference, sequence))
    verified.add(*rule_findings(state))


def _candidates(states: Iterable[State]) -> dict[Id, set[tuple[str, str]]]:
    tasks = [task for state in states for task in state.user_tasks]
    found: dict[Id, set[tuple[str, str]]] = defaultdict(set)
    if tasks:
        rows = UserTaskCandidate.objects.filter(task__in=tasks).values_list("task", "kind", "name")
        for task, kind, name in rows:
            found[str(task)].add((kind, name))
    return found
