"""Suspending instances, and letting them go on."""

from __future__ import annotations

from bpm.core import errors
from bpm.core import operations as o
from bpm.core.commands import Command
from bpm.engine.answers import Answer, answer_once, identifier, operation_answer
from bpm.shell.idempotency import Idempotency
from bpm.shell.requests import Request


def suspend(
    instance_id: str,
    *,
    later: bool = False,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Let nothing move in an instance, and in those that it has called, until it is activated.

    An instance that is suspended already stays as it is.

    Args:
        later: as of `cancel`.

    Raises:
        InstanceNotFound, InstanceEnded.
        TooLarge: without `later`.
    """
    return _carry_out(instance_id, o.SuspendInstance(actor=actor), later, tenant, key)


def activate(
    instance_id: str,
    *,
    release: bool = False,
    later: bool = False,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Let a suspended instance go on, and those that it has called; what is overdue by then fires once.

    Args:
        release: also an instance that the engine froze.
        later: as of `cancel`.

    Raises:
        InstanceNotFound, InstanceEnded.
        TooLarge: without `later`.
        Suspended: frozen, and `release` was not said.
    """
    return _carry_out(instance_id, o.ActivateInstance(release=release, actor=actor), later, tenant, key)


def _carry_out(
    instance_id: str, command: Command, later: bool, tenant: str, key: Idempotency | None
) -> Answer:
    request = Request(command, tenant, identifier(instance_id, errors.InstanceNotFound))
    return answer_once(key, tenant, lambda: operation_answer(request, later=later))
