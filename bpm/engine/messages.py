"""Messages, signals and conditions from outside (semantics §7)."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from bpm.core import errors
from bpm.core.errors import Invalid
from bpm.core.values import check_variables, to_text
from bpm.engine.answers import Answer, answer_once, checked, identifier, instance_answer
from bpm.shell import aimed, conditional_starts, signals
from bpm.shell.correlation import send
from bpm.shell.idempotency import Idempotency
from bpm.shell.messages import Message

MAX_TTL_MS = 366 * 24 * 3_600_000
SENDER = "message"
"""Principal of the records that make sending under a message id idempotent."""


def correlate(
    name: str | None,
    *,
    business_key: str | None = None,
    correlation_keys: Mapping[str, Any] | None = None,
    local_correlation_keys: Mapping[str, Any] | None = None,
    instance: str | None = None,
    definition: str | None = None,
    start_only: bool = False,
    all: bool = False,  # noqa: A002 - the word of the interface
    variables: Mapping[str, Any] | None = None,
    ttl_ms: int | None = None,
    message_id: str | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Send a message to exactly one receiver, or with `all` to every one.

    Args:
        name: None matches any message, where the rest says who is meant.
        correlation_keys: each must be a process variable with that value, or the correlation key of who waits.
        local_correlation_keys: each must be a variable of exactly the scope in which the message is waited for.
        definition: id or key of the process that it may start.
        ttl_ms: without a receiver it is buffered that long, at most 366 days, for the first one.
        message_id: the same message again under it does nothing and gets the first answer, for 24 hours.

    Returns:
        `message`, `outcome` (`triggered started buffered none`), `receivers` (`instance_id status process_def_id
        definition_id business_key node_id started`), `expires_at`, `missed`.

    Raises:
        MessageUnmatched, MessageAmbiguous, Invalid, VariableInvalid, IdempotencyMismatch, Busy.
        TooLarge: `all`, and more than 10,000 receivers; none has got it.
    """
    if ttl_ms is not None and not 1 <= ttl_ms <= MAX_TTL_MS:
        raise Invalid(f"`ttl_ms` is a whole number from 1 to {MAX_TTL_MS}.", ttl_ms=ttl_ms)
    message = Message(
        name=name,
        tenant=tenant,
        business_key=business_key,
        instance=identifier(instance, errors.InstanceNotFound) if instance is not None else None,
        keys=_keys("correlation_keys", correlation_keys),
        local_keys=_keys("local_correlation_keys", local_correlation_keys),
        variables=checked(variables),
        start_only=start_only or definition is not None,
        definition=definition,
        actor=actor,
    )

    def produce() -> Answer:
        return {"message": name, **send(message, everybody=all, ttl_ms=ttl_ms, message_id=message_id)}

    if message_id is None:
        return answer_once(key, tenant, produce)
    once_only = Idempotency(SENDER, message_id, _fingerprint(message, everybody=all))
    return answer_once(key, tenant, lambda: answer_once(once_only, tenant, produce))


def _keys(argument: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
    with errors.variables_at(argument):
        return check_variables(dict(given or {}))


def _fingerprint(message: Message, *, everybody: bool) -> str:
    text = to_text([message.name, message.correlation_text(), dict(message.variables), everybody])
    return sha256(text.encode()).hexdigest()


def trigger_message(
    instance_id: str,
    *,
    message: str | None = None,
    activity: str | None = None,
    variables: Mapping[str, Any] | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Give a message to the one place of an instance that waits for it.

    Raises:
        InstanceNotFound, SubscriptionNotFound, MessageAmbiguous, InstanceEnded, Suspended, VariableInvalid.
    """
    instance, values = identifier(instance_id, errors.InstanceNotFound), checked(variables)
    return answer_once(
        key,
        tenant,
        lambda: instance_answer(
            aimed.message_to(instance, values, tenant=tenant, name=message, activity=activity, actor=actor)
        ),
    )


def trigger_receive_task(
    instance_id: str,
    activity: str,
    *,
    variables: Mapping[str, Any] | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Go on at a receive task without its message.

    Raises:
        InstanceNotFound, SubscriptionNotFound, InstanceEnded, Suspended, VariableInvalid.
    """
    instance, values = identifier(instance_id, errors.InstanceNotFound), checked(variables)
    return answer_once(
        key,
        tenant,
        lambda: instance_answer(
            aimed.continue_receive_task(instance, activity, values, tenant=tenant, actor=actor)
        ),
    )


def signal(
    name: str,
    *,
    variables: Mapping[str, Any] | None = None,
    instance: str | None = None,
    activity: str | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Send a signal to all who wait for it, or to one instance, or to one activity of it.

    Returns:
        `signal`, `instances` and `starts`: how many get it.

    Raises:
        InstanceNotFound, SubscriptionNotFound (only for one instance), InstanceEnded, Suspended, VariableInvalid.
    """
    values = checked(variables)
    if instance is None:
        return answer_once(
            key,
            tenant,
            lambda: {"signal": name, **signals.broadcast(name, values, tenant=tenant, actor=actor)},
        )
    aim = identifier(instance, errors.InstanceNotFound)

    def produce() -> Answer:
        signals.signal_instance(name, values, tenant=tenant, instance=aim, activity=activity, actor=actor)
        return {"signal": name, "instances": 1, "starts": 0}

    return answer_once(key, tenant, produce)


def evaluate_conditions(
    *,
    variables: Mapping[str, Any] | None = None,
    business_key: str | None = None,
    definition: str | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Start an instance at each conditional start that is true for the variables.

    Returns:
        `started`: one answer per instance, as of `start`.

    Raises:
        DefinitionNotFound, VariableInvalid.
    """
    values = checked(variables)

    def produce() -> Answer:
        started = conditional_starts.start_where_true(
            values, tenant=tenant, business_key=business_key, definition=definition, actor=actor
        )
        return {"started": [instance_answer(done) for done in started]}

    return answer_once(key, tenant, produce)
