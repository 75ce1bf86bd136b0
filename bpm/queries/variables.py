"""Variables of an instance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from bpm.core.values import from_text
from bpm.models import Scope, Variable
from bpm.queries.instances import find_instance

MAX_VARIABLES = 10_000


@dataclass(frozen=True, slots=True)
class VariableRow:
    """One variable with its exact JSON value: Decimal where a float would print other digits."""

    scope_id: UUID
    name: str
    value: Any


def list_variables(
    instance_id: str | UUID, *, tenant: str, scope: UUID | None = None
) -> tuple[VariableRow, ...]:
    """Return the variables of all scopes or of one, by scope and name. Two statements.

    The process's own scope has the instance's id. At most 10,000 are returned.

    Raises:
        InstanceNotFound: there is none of this id in this tenant.
    """
    return variables_of(find_instance(instance_id, tenant=tenant).instance_id, scope)


def variables_of(instance: UUID, scope: UUID | None = None) -> tuple[VariableRow, ...]:
    """Return variables of an instance that the caller has found in its tenant. One statement."""
    rows = Variable.objects.filter(instance_id=instance).exclude(name__startswith="$")
    if scope is not None:
        rows = rows.filter(scope=scope)
    values = rows.order_by("scope", "name").values_list("scope", "name", "value")[:MAX_VARIABLES]
    return tuple(VariableRow(scope_id, name, from_text(value)) for scope_id, name, value in values)


def has_scope(instance: UUID, scope: UUID) -> bool:
    """Return whether a scope, active or not, is one of this instance. One statement; the tenant is checked."""
    return Scope.objects.filter(id=scope, instance_id=instance).exists()


def process_variables(instance: UUID) -> dict[str, Any]:
    """Return name to value of the process's own scope. One statement; the caller has checked the tenant."""
    return {row.name: row.value for row in variables_of(instance, instance)}
