"""What verifying one instance finds, and the proof of its history (semantics §10). Nothing is changed by it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from bpm.core.errors import InstanceNotFound
from bpm.models import ProcessInstance
from bpm.queries.instances import find_instance
from bpm.shell.export import export_lines
from bpm.shell.verifying import Finding, Verified, verify_instances


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One thing that does not hold.

    Attributes:
        rule: the invariant, or a rule beside them.
        place: table, `instance` or `history`; empty for the instance as a whole.
        key: row or event; empty for the place as a whole.
        sequence: first event at which history and rows part, or that breaks the rule; None where none does.
    """

    rule: str
    place: str
    key: str
    text: str
    sequence: int | None


@dataclass(frozen=True, slots=True)
class VerificationRow:
    """The result for one instance, all of it from one state of the database.

    Attributes:
        events: how many were checked; `through`: sequence of the newest.
        head: hash of the newest event; whoever keeps it can tell later whether the history was changed.
        findings: what is wrong, at most 100.
    """

    instance_id: str
    sound: bool
    events: int
    through: int
    head: str
    findings: list[FindingRow]


@dataclass(frozen=True, slots=True)
class ProofRow:
    """The end of a history's chain of hashes, to be kept elsewhere.

    Attributes:
        sequence: of the newest event.
        head: its hash, which covers all events before it.
    """

    instance_id: str
    sequence: int
    head: str


def verify_instance(instance_id: str | UUID, *, tenant: str) -> VerificationRow:
    """Verify one instance.

    Statements: 7 at most, BEGIN and COMMIT among them; with more than 5,000 events 1 per 1,000 besides; a few more
    where something is wrong.

    Raises:
        InstanceNotFound: there is none of this id in this tenant.
    """
    instance = find_instance(instance_id, tenant=tenant).instance_id
    results = verify_instances([str(instance)])
    if not results:
        raise InstanceNotFound(id=str(instance))
    return verification_row(results[0])


def verification_row(result: Verified) -> VerificationRow:
    """Return a result as it is shown."""
    return VerificationRow(
        instance_id=result.instance,
        sound=result.sound,
        events=result.events,
        through=result.through,
        head=result.head,
        findings=[finding_row(finding) for finding in result.findings],
    )


def finding_row(finding: Finding) -> FindingRow:
    """Return a finding as it is shown."""
    return FindingRow(*finding)


def history_proof(instance_id: str | UUID, *, tenant: str) -> ProofRow:
    """Return the newest hash of a history. Two statements. Raises: InstanceNotFound."""
    instance = find_instance(instance_id, tenant=tenant).instance_id
    sequence, head = ProcessInstance.objects.values_list("last_sequence", "head").get(id=instance)
    return ProofRow(str(instance), sequence, head)


def export_history(instance_id: str | UUID, *, tenant: str) -> Iterator[str]:
    """Return a history as JSON lines that `manage.py verify --file` verifies without a database.

    Raises:
        InstanceNotFound: there is none of this id in this tenant.

    Statements: 4 and 1 per 1,000 events, as lines are taken.
    """
    return export_lines(str(find_instance(instance_id, tenant=tenant).instance_id))
