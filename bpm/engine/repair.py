"""Trying again where something failed."""

from __future__ import annotations

from collections.abc import Sequence

from bpm.core import commands as c
from bpm.core import errors
from bpm.core.errors import EngineError
from bpm.engine.answers import Answer, answer_once, done, identifier, instance_answer
from bpm.engine.lists import named_once
from bpm.shell.execute import execute, execute_many
from bpm.shell.finding import failed_tokens, tokens_of
from bpm.shell.idempotency import Idempotency
from bpm.shell.outcome import Done
from bpm.shell.requests import Request

MAX_BULK = 1_000
"""Incidents that one call retries."""


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
    return _retry(str(token), identifier(task_id), retries, tenant, actor, key)


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
    return _retry(str(token), wanted, retries, tenant, actor, key)


def _retry(
    token: str, because: str, retries: int | None, tenant: str, actor: str, key: Idempotency | None
) -> Answer:
    command = c.RetryToken(token=token, retries=retries, because=because, actor=actor)
    return answer_once(key, tenant, lambda: instance_answer(done(execute(Request(command, tenant)))))


def retry_incidents(
    incident_ids: Sequence[str] | None = None,
    *,
    kind: str | None = None,
    instance_id: str | None = None,
    definition_id: str | None = None,
    process_def_id: str | None = None,
    node: str | None = None,
    retries: int | None = None,
    limit: int = MAX_BULK,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> list[tuple[str, Answer | EngineError]]:
    """Retry many incidents in one transaction: those named, or without names the oldest open ones that match.

    Args:
        limit: 1 to 1,000; how many of those that match.

    Returns:
        Each incident with its answer or refusal, in order; a refusal leaves the others untouched.

    Raises:
        Invalid: more than 1,000 are named.
    """

    def produce() -> list[tuple[str, Answer | EngineError]]:
        if incident_ids is not None:
            found = _named(incident_ids, tenant)
        else:
            matching = failed_tokens(
                tenant,
                limit=min(limit, MAX_BULK),
                kind=kind,
                instance=instance_id,
                instance__definition=definition_id,
                instance__definition_key=process_def_id,
                node=node,
            )
            found = dict(matching)
        return _retry_all(found, retries, tenant, actor)

    return named_once(key, tenant, produce)


def _retry_all(
    found: dict[str, str | None], retries: int | None, tenant: str, actor: str
) -> list[tuple[str, Answer | EngineError]]:
    tokens = list(dict.fromkeys(token for token in found.values() if token is not None))
    requests = [Request(c.RetryToken(token=token, retries=retries, actor=actor), tenant) for token in tokens]
    outcomes = dict(zip(tokens, execute_many(requests), strict=True))
    return [(incident, _outcome(incident, outcomes.get(token or ""))) for incident, token in found.items()]


def _named(incident_ids: Sequence[str], tenant: str) -> dict[str, str | None]:
    if len(incident_ids) > MAX_BULK:
        raise errors.Invalid(f"At most {MAX_BULK} incidents are retried at once.", named=len(incident_ids))
    wanted = [identifier(one, errors.IncidentNotFound) for one in incident_ids]
    tokens = tokens_of(tenant, wanted)
    return {incident: tokens.get(incident) for incident in wanted}


def _outcome(incident: str, outcome: Done | EngineError | None) -> Answer | EngineError:
    if outcome is None:
        return errors.IncidentNotFound(id=incident)
    return instance_answer(outcome) if isinstance(outcome, Done) else outcome
