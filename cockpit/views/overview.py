"""The first page: how the engine is doing."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from bpm.queries.definitions import list_definitions
from bpm.queries.incidents import list_incidents
from bpm.queries.life import list_loops
from bpm.queries.live_counts import LiveCounts, live_counts
from bpm.queries.throughput import throughput
from bpm.queries.verified import sweep
from bpm.queries.workload import longest_waiting, workload
from cockpit.access import operator_page, tenant_of
from cockpit.charts import hours_chart

_DEFINITIONS = 100
_NEWEST = 5


@operator_page
def overview(request: HttpRequest) -> HttpResponse:
    """Show the newest figures. Seventeen statements at most, whatever there is."""
    tenant = tenant_of(request)
    now, loops = list_loops()
    counts = live_counts(tenant)
    page = list_definitions(tenant, latest=True, limit=_DEFINITIONS)
    live = [counts.get(row.definition_id, LiveCounts()) for row in page.items]
    total = sum(counts.values(), LiveCounts())
    context: dict[str, Any] = {
        "now": now,
        "loops": [loop for loop in loops if not loop.queue],
        "queue": next((loop for loop in loops if loop.queue), None),
        "total": total,
        "definitions": [{"row": row, "live": one} for row, one in zip(page.items, live, strict=True)],
        "more_definitions": page.next is not None,
        "older_versions": total.total - sum(live, LiveCounts()).total,
        "work": workload(tenant, now),
        "sweep": sweep(tenant),
        "chart": hours_chart(throughput(tenant, now)),
        "incidents": list_incidents(tenant, limit=_NEWEST).items,
        "tasks": longest_waiting(tenant, _NEWEST),
    }
    return render(request, "cockpit/overview.html", context)
