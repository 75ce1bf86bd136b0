"""How far the background verification has come (semantics §10)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from bpm.core.values import from_text
from bpm.models import Incident, Verification, VerificationPlace
from bpm.queries.bounded import Bounded, bounded_count
from bpm.queries.constant import Constant
from bpm.queries.visible import of_seen_processes

VIOLATION = "InvariantViolated"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of one instance: verified up to event `through`, with these rules found broken."""

    through: int
    at: datetime
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SweepRow:
    """The background verification. `rounds`: how often it has been through all instances; None before it ever ran.

    Attributes:
        violations: open incidents that it, or a command, has opened in this tenant.
    """

    rounds: int | None
    violations: Bounded


def verdict_of(instance: UUID) -> Verdict | None:
    """Return what is known; None where it was not verified yet. One statement; the caller has checked the tenant."""
    row = Verification.objects.filter(instance_id=instance).first()
    if row is None:
        return None
    return Verdict(row.verified_through, row.verified_at, tuple(str(one) for one in from_text(row.known)))


def sweep(tenant: str) -> SweepRow:
    """Return how the verification is doing. Two statements."""
    rounds = VerificationPlace.objects.values_list("rounds", flat=True).first()
    open_ones = Incident.objects.filter(tenant=tenant, status=Constant("OPEN"), kind=VIOLATION)
    return SweepRow(rounds, bounded_count(of_seen_processes(open_ones, "instance__definition_key")))
