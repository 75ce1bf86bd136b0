"""One process instance with what it holds."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any
from uuid import UUID

from bpm.queries.instances import InstanceRow, find_instance
from bpm.queries.joins import JoinRow, open_joins
from bpm.queries.snapshot import one_snapshot
from bpm.queries.tokens import TokenRow, live_nodes, live_tokens
from bpm.queries.variables import process_variables


@dataclass(frozen=True, slots=True)
class InstanceDetail(InstanceRow):
    """One instance at one moment, with what it holds.

    Attributes:
        current_nodes: nodes with a live token.
        tokens: its live tokens, the oldest 1,000 of `live_tokens`.
        joins: where tokens wait for others.
        variables: of the process's own scope.
    """

    current_nodes: tuple[str, ...]
    tokens: tuple[TokenRow, ...]
    joins: tuple[JoinRow, ...]
    variables: dict[str, Any]


def instance_detail(instance_id: str | UUID, *, tenant: str) -> InstanceDetail:
    """Return one instance, all of it from one state of the database. Seven statements, eight with open joins.

    Raises:
        InstanceNotFound: there is none of this id in this tenant.
    """
    with one_snapshot():
        instance = find_instance(instance_id, tenant=tenant)
        own: dict[str, Any] = {spec.name: getattr(instance, spec.name) for spec in fields(InstanceRow)}
        return InstanceDetail(
            **own,
            current_nodes=live_nodes(instance.instance_id),
            tokens=live_tokens(instance.instance_id),
            joins=open_joins(instance.instance_id, instance.definition_id),
            variables=process_variables(instance.instance_id),
        )
