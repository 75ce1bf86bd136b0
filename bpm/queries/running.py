"""Whether much is running, without counting it."""

from __future__ import annotations

from bpm.models import ProcessInstance
from bpm.queries.constant import constants


def is_running_more_than(number: int, *, tenant: str) -> bool:
    """Return whether more instances of a tenant than this have not ended. One statement over at most that many."""
    rows = ProcessInstance.objects.filter(tenant=tenant).exclude(
        status__in=constants("COMPLETED", "CANCELLED")
    )
    return rows.order_by("tenant", "definition_key", "id").values_list("id")[number : number + 1].exists()
