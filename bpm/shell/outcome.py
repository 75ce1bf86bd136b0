"""What became of a command."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from bpm.core.decide import Decision
from bpm.core.errors import EngineError
from bpm.core.ids import Id
from bpm.core.rows import JobStatus
from bpm.core.state import State


class Done(NamedTuple):
    """A command that was carried out.

    Attributes:
        continuing: whether the instance goes on in a job of the engine (semantics §4).
        answer: the command's own part.
        version: number of the version that was started.
    """

    instance_id: Id
    tenant: str
    status: str
    definition_id: Id
    process_def_id: str
    business_key: str | None
    continuing: bool
    events: int
    at: datetime | None
    answer: dict[str, Any]
    version: int | None = None

    @classmethod
    def of(cls, state: State, decision: Decision, version: int | None = None) -> Done:
        """Return the outcome of a decision, as the state is after it."""
        instance = state.instance
        jobs = state.jobs.values()
        return cls(
            instance_id=instance.id,
            tenant=instance.tenant,
            status=instance.status.value,
            definition_id=instance.definition,
            process_def_id=instance.definition_key,
            business_key=instance.business_key,
            continuing=any(job.kind == "continuation" and job.status is JobStatus.READY for job in jobs),
            events=len(decision.events),
            at=instance.updated_at,
            answer=decision.answer,
            version=version,
        )

    def elsewhere(
        self,
        instance: Id,
        business_key: str | None,
        at: datetime,
        answer: dict[str, Any],
        version: int | None,
    ) -> Done:
        """Return the outcome of the same decision about another instance."""
        _, tenant, status, definition_id, process_def_id, _, continuing, events, *_ = self
        return Done(
            instance,
            tenant,
            status,
            definition_id,
            process_def_id,
            business_key,
            continuing,
            events,
            at,
            answer,
            version,
        )


Outcome = Done | EngineError
"""Carried out, or refused; a batch has one per command."""
