"""Suspending, activating and deleting what was deployed."""

from __future__ import annotations

from bpm.core import errors
from bpm.engine.answers import Answer, answer_once, identifier
from bpm.shell import definition_operations as operations
from bpm.shell.idempotency import Idempotency


def suspend_definition(
    definition_id: str,
    *,
    include_instances: bool = False,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Let a version not be started any more, and with `include_instances` its instances not move.

    Its timer starts are held; messages and signals do not start it. Returns `definition_id`, `suspended`,
    `instances`: how many were suspended, and `missed`: those that stayed locked, or are too large for one command.

    Raises:
        DefinitionNotFound.
        Busy: an instance stayed locked, under a key or inside a transaction of the caller.
    """
    return _set(definition_id, True, include_instances, tenant, actor, key)


def activate_definition(
    definition_id: str,
    *,
    include_instances: bool = False,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Let a version be started again, and with `include_instances` its instances go on, but for those frozen.

    Returns: as `suspend_definition`. Raises: likewise.
    """
    return _set(definition_id, False, include_instances, tenant, actor, key)


def _set(
    definition_id: str,
    suspended: bool,
    instances: bool,
    tenant: str,
    actor: str,
    key: Idempotency | None,
) -> Answer:
    definition = identifier(definition_id, errors.DefinitionNotFound)

    def produce() -> Answer:
        reached = operations.set_suspended(
            definition, tenant, actor, suspended=suspended, instances=instances
        )
        return {
            "definition_id": definition,
            "suspended": suspended,
            "instances": reached.changed,
            "missed": list(reached.missed),
        }

    return answer_once(key, tenant, produce)


def delete_definition(
    definition_id: str,
    *,
    cascade: bool = False,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Delete a version; with `cascade` its instances are cancelled first. Returns `deleted`: id, key, version.

    Raises:
        DefinitionNotFound.
        InstancesRunning: some have not ended, and `cascade` was not said.
    """
    definition = identifier(definition_id, errors.DefinitionNotFound)
    return answer_once(key, tenant, lambda: _delete([definition], tenant, actor, cascade))


def delete_deployment(
    deployment_id: str,
    *,
    cascade: bool = False,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Delete all versions of a deployment, or none; see `delete_definition`.

    Raises:
        DeploymentNotFound: there is none, or all of it is deleted.
        InstancesRunning.
    """
    deployment = identifier(deployment_id, errors.DeploymentNotFound)

    def produce() -> Answer:
        return _delete(operations.definitions_of(deployment, tenant), tenant, actor, cascade)

    return answer_once(key, tenant, produce)


def _delete(definitions: list[str], tenant: str, actor: str, cascade: bool) -> Answer:
    rows = operations.delete_versions(definitions, tenant, actor, cascade=cascade)
    return {"deleted": [{"id": str(row.pk), "key": row.key, "version": row.version} for row in rows]}
