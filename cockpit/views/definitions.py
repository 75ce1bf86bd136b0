"""Deployed processes and their versions."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from bpm.queries.definitions import list_definitions
from bpm.queries.live_counts import LiveCounts, live_counts
from cockpit.access import operator_page, tenant_of
from cockpit.paging import first_address, next_address

_PAGE = 100


@operator_page
def definitions(request: HttpRequest) -> HttpResponse:
    """Show versions by key with what runs in each. Two statements."""
    tenant = tenant_of(request)
    key = request.GET.get("process", "").strip()
    latest = request.GET.get("latest") == "1"
    page = list_definitions(
        tenant, process_def_id=key or None, latest=latest, cursor=request.GET.get("cursor"), limit=_PAGE
    )
    counts = live_counts(tenant, process_def_id=key or None)
    context = {
        "rows": [{"row": row, "live": counts.get(row.definition_id, LiveCounts())} for row in page.items],
        "next": next_address(request, page.next),
        "first": first_address(request),
        "given": {"process": key, "latest": latest},
        "filtered": bool(key) or latest,
    }
    return render(request, "cockpit/definitions.html", context)
