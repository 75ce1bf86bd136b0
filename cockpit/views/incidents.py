"""Open incidents of all instances."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from bpm.queries.incidents import STATUSES, IncidentFilter, list_incidents
from cockpit.access import operator_page, tenant_of
from cockpit.paging import first_address, next_address
from cockpit.refreshing import live_attributes

_PAGE = 50


@operator_page
def incidents(request: HttpRequest) -> HttpResponse:
    """Show incidents, oldest first; open ones unless asked otherwise. One statement."""
    given = {name: request.GET.get(name, "").strip() for name in ("status", "kind", "process", "node")}
    given["status"] = given["status"] if given["status"] in (*STATUSES, "all") else "OPEN"
    chosen = IncidentFilter(
        status=None if given["status"] == "all" else given["status"],
        kind=given["kind"] or None,
        process_def_id=given["process"] or None,
        node=given["node"] or None,
    )
    page = list_incidents(tenant_of(request), chosen, cursor=request.GET.get("cursor"), limit=_PAGE)
    context = {
        "rows": page.items,
        "next": next_address(request, page.next),
        "first": first_address(request),
        "given": given,
        "statuses": STATUSES,
        "filtered": given["status"] != "OPEN" or any(given[name] for name in ("kind", "process", "node")),
        "refresh": live_attributes(request, "10s"),
    }
    return render(request, "cockpit/incidents.html", context)
