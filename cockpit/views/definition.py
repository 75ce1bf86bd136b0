"""One version of a process."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from bpm.queries.definitions import find_definition, list_definitions
from bpm.queries.heat import heat as heat_of
from bpm.queries.live_counts import LiveCounts, live_counts
from bpm.queries.shape import graph_shape
from bpm.queries.start_timers import start_timers
from bpm.queries.token_counts import token_counts
from cockpit.access import operator_page, tenant_of

_VERSIONS = 50


@operator_page
def definition(request: HttpRequest, definition_id: str) -> HttpResponse:
    """Show its diagram, its other versions, what deployment warned of. Five statements, six at first."""
    tenant = tenant_of(request)
    row = find_definition(definition_id, tenant=tenant)
    shape = graph_shape(row.definition_id, tenant=tenant)
    versions = list_definitions(tenant, process_def_id=row.process_def_id, limit=_VERSIONS)
    counts = live_counts(tenant, process_def_id=row.process_def_id)
    context: dict[str, Any] = {
        "row": row,
        "nodes": shape.nodes,
        "counts": counts.get(row.definition_id, LiveCounts()),
        "versions": [
            {"row": one, "live": counts.get(one.definition_id, LiveCounts())}
            for one in reversed(versions.items)
        ],
        "timers": start_timers(row.definition_id),
        "diagram": {
            "file": reverse("cockpit:diagram", args=[row.definition_id]),
            "counts": reverse("cockpit:live", args=[row.definition_id]),
            "heat": reverse("cockpit:heat", args=[row.definition_id]),
            "search": f"{reverse('cockpit:instances')}?process={row.process_def_id}&version={row.version}&node=",
            "nodes": {name: asdict(node) for name, node in shape.nodes.items()},
            "flows": shape.flows,
        },
    }
    return render(request, "cockpit/definition.html", context)


@operator_page
def live(request: HttpRequest, definition_id: str) -> HttpResponse:
    """Return live tokens by node. Three statements."""
    found = token_counts(definition_id, tenant=tenant_of(request))
    nodes = [[one.node_id, one.status, one.number] for one in found.nodes]
    return JsonResponse({"nodes": nodes, "partial": found.partial})


@operator_page
def heat(request: HttpRequest, definition_id: str) -> HttpResponse:
    """Return how often and how long tokens were at each node lately. Three statements."""
    found = heat_of(definition_id, tenant=tenant_of(request))
    return JsonResponse({"instances": found.instances, "nodes": [asdict(one) for one in found.nodes]})
