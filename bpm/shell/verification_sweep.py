"""Verifying in the background what has changed since it was verified last (semantics §10).

One process at a time goes through the instances in the order of their ids, some at a time, round after round. What a
verification finds becomes an incident of the instance, which is frozen: once for each finding, so that an instance that
an operator has released stays released.
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

_EVIDENCE: Final = 5
_PLACE: Final = 1
_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)

_log = logging.getLogger(__name__)


class Swept(NamedTuple):
    """What one part of a round did.

    Attributes:
        looked_at: instances, changed or not.
        verified: those of them that had changed.
        broken: those with findings that are new.
        round_over: whether the next part begins a new round.
    """

    looked_at: int
    verified: int
    broken: int
    round_over: bool


def verify_some(owner: str, *, seconds: float = 0.2) -> Swept | None:
    """Verify the next instances that have changed, for about so long; None where another process is at it.

    Statements: 4 where nothing has changed, PostgreSQL 1 more.
    """
    if not _hold(owner):
        return None
    place = VerificationPlace.objects.get(id=_PLACE)
    after, rounds = str(place.after), place.rounds
    try:
        page = _page(after)
        swept = Swept(0, 0, 0, round_over=True)
        if page:
            swept, after = _verify(page, seconds)
        if swept.round_over:
            after, rounds = NIL, rounds + 1
    finally:
        VerificationPlace.objects.filter(id=_PLACE, held_by=owner).update(
            after=after, rounds=rounds, held_until=_LONG_AGO
        )
    return swept


def _hold(owner: str) -> bool:
    now = database_now()
    free = VerificationPlace.objects.filter(id=_PLACE, held_until__lte=now)
    if free.update(held_by=owner, held_until=now + HELD):
        return True
    if VerificationPlace.objects.filter(id=_PLACE).exists():
        return False
    row = VerificationPlace(id=_PLACE, after=uuid.UUID(NIL), held_until=_LONG_AGO)
    VerificationPlace.objects.bulk_create([row], ignore_conflicts=True)
    return bool(free.update(held_by=owner, held_until=now + HELD))


def _page(after: Id) -> list[tuple[Id, int, int | None, str]]:
    """Return the next instances: id, newest event, how far it was verified, what is known of it."""
    rows = (
        ProcessInstance.objects.filter(id__gt=after)
        .order_by("id")
        .values_list("id", "last_sequence", "verification__verified_through", "verification__known")
    )
    return [(str(row[0]), row[1], row[2], row[3] or "[]") for row in rows[:PAGE]]


def _verify(page: list[tuple[Id, int, int | None, str]], seconds: float) -> tuple[Swept, Id]:
    """Return what was done, and the instance behind which to go on."""
    deadline = time.monotonic() + seconds
    known = {row[0]: row[3] for row in page}
    changed = [row for row in page if row[2] != row[1]]
    verified = broken = 0
    for result in verify_each(_until(deadline, [(row[0], row[1] + 1) for row in changed])):
        verified += 1
        broken += note(result, known[result.instance])
    over = verified >= len(changed)
    after = page[-1][0] if over else changed[verified - 1][0] if verified else page[0][0]
    return Swept(len(page), verified, broken, round_over=over and len(page) < PAGE), after


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
