"""Starts that wait at a definition: armed with a new version, disarmed with the next one (semantics §6, §7).

The caller holds the lock of the definition's key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any, Final

from django.db import IntegrityError, transaction

from bpm.core.errors import DefinitionInvalid, Problem
from bpm.core.failure import NodeFailed
from bpm.core.graph import Graph
from bpm.core.ids import Id, IdSource
from bpm.core.starts import StartTimer, StartWait, start_timers, start_waits
from bpm.core.triggers.timer import Following, all_caught_up, following
from bpm.models import Definition, Subscription, Timer
from bpm.shell.buffer import deliver_waiting
from bpm.shell.configuration import engine_zone
from bpm.shell.definitions import graph_of

SHOWN_FIRINGS: Final = 10


def arm(definition: Definition, graph: Graph, resource: str, ids: IdSource, now: datetime) -> None:
    """Put the starts of a version on the table.

    Args:
        resource: name of its file, for problems.

    Raises:
        DefinitionInvalid: another process starts by the same message already, or a computed time is none.
    """
    waits = [_subscription(definition, wait, ids, now) for wait in start_waits(graph)]
    try:
        timers = [_timer(definition, timer, ids, now) for timer in start_timers(graph, now, engine_zone())]
    except NodeFailed as failure:
        problem = Problem(definition.key, 0, "timer-text", str(failure), resource)
        raise DefinitionInvalid((problem,)) from None
    _require_free_messages(definition, waits, resource)
    try:
        with transaction.atomic():
            Subscription.objects.bulk_create(waits)
    except IntegrityError:
        # Somebody else has armed the same message since it was looked for.
        _require_free_messages(definition, waits, resource)
        raise
    Timer.objects.bulk_create(timers)
    messages = [(definition.tenant, wait.name) for wait in waits if wait.kind == "message"]
    if messages:
        transaction.on_commit(partial(deliver_waiting, messages), robust=True)


def disarm(tenant: str, key: str, now: datetime) -> None:
    """Take the starts of all versions of a key off the table. Statements: 2."""
    versions = Definition.objects.filter(tenant=tenant, key=key)
    Subscription.objects.filter(definition__in=versions, status="OPEN").update(
        status="CANCELLED", closed_at=now
    )
    Timer.objects.filter(definition__in=versions, status="SCHEDULED").update(
        status="CANCELLED", closed_at=now
    )


def _require_free_messages(definition: Definition, waits: Sequence[Subscription], resource: str) -> None:
    names = [wait.name for wait in waits if wait.kind == "message"]
    taken = Subscription.objects.filter(
        tenant=definition.tenant, kind="message", status="OPEN", definition__isnull=False, name__in=names
    ).exclude(definition__key=definition.key)
    problems = tuple(
        Problem(
            wait.node, 0, "start-message-taken", f"The process {key} starts by {name!r} already.", resource
        )
        for name, key in (taken.values_list("name", "definition__key") if names else ())
        for wait in waits
        if (wait.kind, wait.name) == ("message", name)
    )
    if problems:
        raise DefinitionInvalid(problems)


def _subscription(definition: Definition, wait: StartWait, ids: IdSource, now: datetime) -> Subscription:
    return Subscription(
        id=ids.next(),
        definition=definition,
        tenant=definition.tenant,
        kind=wait.kind,
        name=wait.name,
        correlation="null",
        node=wait.node,
        interrupting=True,
        status="OPEN",
        created_at=now,
    )


def _timer(definition: Definition, timer: StartTimer, ids: IdSource, now: datetime) -> Timer:
    number = ids.next()
    return Timer(
        id=number,
        definition=definition,
        tenant=definition.tenant,
        node=timer.node,
        kind=timer.kind,
        status="SCHEDULED",
        due_at=timer.due_at,
        series=number,
        number=0,
        anchor=now,
        expression=timer.expression,
        priority=timer.priority,
        created_at=now,
    )


# what comes next


def after(timer: Timer, now: datetime) -> Following | None:
    """Return the due time after that of a timer start, None where it fires no more."""
    if timer.kind != "cycle":
        return None
    node = graph_of(str(timer.definition_id)).nodes[timer.node]
    due = Following(timer.due_at, timer.number)
    return following(timer.expression, due, timer.anchor, now, engine_zone(), catch_up=all_caught_up(node))


def next_firings(definitions: Sequence[Id], now: datetime) -> dict[Id, list[dict[str, Any]]]:
    """Return each version's timer starts with the next due times of each, at most 10. Statements: 1."""
    found: dict[Id, list[dict[str, Any]]] = {}
    timers = Timer.objects.filter(definition__id__in=definitions, status="SCHEDULED").order_by("id")
    for timer in timers:
        told = [due.isoformat() for due in firings(timer, now)]
        found.setdefault(str(timer.definition_id), []).append({"node": timer.node, "firings": told})
    return found


def firings(timer: Timer, now: datetime) -> list[datetime]:
    """Return the next due times of a timer start, at most 10; one that is overdue stands first."""
    return list(islice(_due_times(timer, now), SHOWN_FIRINGS))


def _due_times(timer: Timer, now: datetime) -> Iterator[datetime]:
    yield timer.due_at
    due = after(timer, now)
    while due is not None:
        yield due.due_at
        due = following(timer.expression, due, timer.anchor, now, engine_zone(), catch_up=True)
