"""Verifying in the background what has changed since it was verified last (semantics §10).

One process at a time goes through the instances in the order of their ids, some at a time, round after round. What a
verification finds becomes an incident of the instance, which is frozen: once for each finding, so that an instance that
an operator has released stays released.

A history is folded from its first event each time: a stored state would have to be trusted, and this is here to find
what cannot be trusted. So that a long history in constant motion does not take all the time, it rests between two
verifications: the longer it is, the longer.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from bpm.core.ids import NIL, Id
from bpm.core.values import from_text, to_text
from bpm.models import ProcessInstance, Verification, VerificationPlace
from bpm.shell.database_clock import database_now
from bpm.shell.freezing import freeze
from bpm.shell.verifying import Finding, Verified, verify_each

PAGE: Final = 200
HELD: Final = timedelta(minutes=15)
"""How long the place stays with a process that has vanished."""

FREE_EVENTS: Final = 1_000
"""Up to so many events a history is verified in every round in which it has changed."""
REST_PER_EVENT: Final = timedelta(milliseconds=100)
"""A longer one at the earliest so long after its last verification, for each event that was folded then beyond these.

So one instance costs, however long its history and however fast it grows, 10 folded events per second of its life,
besides its last verification and those of its first 1,000 events: less than a thousandth of one thread's time.
"""

_EVIDENCE: Final = 5
_PLACE: Final = 1
_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)

_log = logging.getLogger(__name__)


class Swept(NamedTuple):
    """What one part of a round did.

    Attributes:
        looked_at: instances, changed or not.
        verified: those of them that had changed, and had rested.
        events: how many were folded for that.
        broken: those with findings that are new.
        round_over: whether the next part begins a new round.
    """

    looked_at: int
    verified: int
    broken: int
    round_over: bool
    events: int = 0


def verify_some(owner: str, *, seconds: float = 0.2) -> Swept | None:
    """Verify the next instances that have changed, for about so long; None where another process is at it.

    Statements: 4 where nothing has changed, PostgreSQL 1 more.
    """
    now = database_now()
    if not _hold(owner, now):
        return None
    place = VerificationPlace.objects.get(id=_PLACE)
    after, rounds = str(place.after), place.rounds
    try:
        page = _page(after)
        swept = Swept(0, 0, 0, round_over=True)
        if page:
            swept, after = _verify(page, now, seconds)
        if swept.round_over:
            after, rounds = NIL, rounds + 1
    finally:
        VerificationPlace.objects.filter(id=_PLACE, held_by=owner).update(
            after=after, rounds=rounds, held_until=_LONG_AGO
        )
    return swept


def _hold(owner: str, now: datetime) -> bool:
    free = VerificationPlace.objects.filter(id=_PLACE, held_until__lte=now)
    if free.update(held_by=owner, held_until=now + HELD):
        return True
    if VerificationPlace.objects.filter(id=_PLACE).exists():
        return False
    row = VerificationPlace(id=_PLACE, after=uuid.UUID(NIL), held_until=_LONG_AGO)
    VerificationPlace.objects.bulk_create([row], ignore_conflicts=True)
    return bool(free.update(held_by=owner, held_until=now + HELD))


class _Known(NamedTuple):
    """An instance, and what is known of it: verified through which event, when, and the names of its findings."""

    id: Id
    last: int
    through: int | None
    at: datetime | None
    findings: str

    def due(self, now: datetime) -> bool:
        """Whether it has changed, and a long history has rested."""
        if self.through is None or self.at is None:
            return True
        if self.through == self.last:
            return False
        return self.at + max(self.through + 1 - FREE_EVENTS, 0) * REST_PER_EVENT <= now


def _page(after: Id) -> list[_Known]:
    known = ("verified_through", "verified_at", "known")
    rows = (
        ProcessInstance.objects.filter(id__gt=after)
        .order_by("id")
        .values_list("id", "last_sequence", *(f"verification__{name}" for name in known))
    )
    return [
        _Known(str(instance), last, through, at, findings or "[]")
        for instance, last, through, at, findings in rows[:PAGE]
    ]


def _verify(page: list[_Known], now: datetime, seconds: float) -> tuple[Swept, Id]:
    """Return what was done, and the instance behind which to go on."""
    deadline = time.monotonic() + seconds
    known = {row.id: row.findings for row in page}
    due = [row for row in page if row.due(now)]
    verified = broken = events = 0
    for result in verify_each(_until(deadline, [(row.id, row.last + 1) for row in due])):
        verified += 1
        events += result.events
        broken += note(result, known[result.instance])
    over = verified >= len(due)
    after = page[-1].id if over else due[verified - 1].id if verified else page[0].id
    return Swept(len(page), verified, broken, over and len(page) < PAGE, events), after


def _until(deadline: float, instances: list[tuple[Id, int]]) -> Iterator[tuple[Id, int]]:
    for number, one in enumerate(instances):
        if number and time.monotonic() > deadline:
            return
        yield one


def note(result: Verified, known_text: str) -> bool:
    """Keep how far an instance was verified; freeze it where something new is wrong. Return whether something is.

    Args:
        known_text: names of findings for which it was frozen before, as JSON.
    """
    known: list[str] = from_text(known_text)
    found = [finding for finding in result.findings if finding.name not in known]
    if found:
        _log.error("instance %s: verification found %s", result.instance, "; ".join(map(_said, found)))
        freeze(result.instance, evidence(found))
    names = sorted({*known, *(finding.name for finding in found)})
    Verification.objects.update_or_create(
        instance_id=uuid.UUID(result.instance),
        defaults={
            "verified_through": result.through,
            "verified_at": database_now(),
            "known": to_text(names),
        },
    )
    return bool(found)


def evidence(found: list[Finding]) -> str:
    """Return findings in words, the first five of them."""
    more = f"; and {len(found) - _EVIDENCE} more" if len(found) > _EVIDENCE else ""
    return "Verification found: " + "; ".join(map(_said, found[:_EVIDENCE])) + more


def _said(finding: Finding) -> str:
    where = " ".join(part for part in (finding.place, finding.key) if part)
    at = "" if finding.sequence is None else f", from event {finding.sequence} on"
    return f"{finding.rule} {where}: {finding.text[:500]}{at}"
