"""Trying again where something failed."""

from __future__ import annotations

from bpm.core import commands as c
from bpm.core import errors
from bpm.engine.answers import Answer, answer_once, done, identifier, instance_answer
from bpm.shell.execute import execute
from bpm.shell.idempotency import Idempotency
from bpm.shell.requests import Request


def retry_token(
    token_id: str,
    *,
    retries: int | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Try again where a token failed. Raises: TokenNotFound, NothingToRetry, InstanceEnded, Suspended, Invalid."""
    command = c.RetryToken(token=identifier(token_id, errors.TokenNotFound), retries=retries, actor=actor)
    return answer_once(key, tenant, lambda: instance_answer(done(execute(Request(command, tenant)))))


def retry_dead_letter(
    task_id: str,
    *,
    retries: int | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Offer a failed external task again, with its initial retries or those given.

    Raises:
        TaskNotFound, NothingToRetry, InstanceEnded, Suspended, Invalid.
    """
    from bpm.models import ExternalTask

    token = (
        ExternalTask.objects.filter(id=identifier(task_id), tenant=tenant)
        .values_list("token", flat=True)
        .first()
    )
    if token is None:
        raise errors.TaskNotFound(id=task_id)
    return retry_token(str(token), retries=retries, tenant=tenant, actor=actor, key=key)


def resolve_incident(
    incident_id: str,
    *,
    retries: int | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Resolve an incident by trying again where its token failed.

    Raises:
        IncidentNotFound, NothingToRetry, InstanceEnded, Suspended, Invalid.
    """
    from bpm.models import Incident

    wanted = identifier(incident_id, errors.IncidentNotFound)
    token = Incident.objects.filter(id=wanted, tenant=tenant).values_list("token", flat=True).first()
    if token is None:
        raise errors.IncidentNotFound(id=incident_id)
    return retry_token(str(token), retries=retries, tenant=tenant, actor=actor, key=key)
