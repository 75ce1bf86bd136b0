"""Two versions of a process side by side."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext

from bpm.queries.definitions import find_definition
from bpm.queries.shape import graph_shape
from cockpit.access import operator_page, tenant_of


@operator_page
def comparison(request: HttpRequest) -> HttpResponse:
    """Show both diagrams with what was added, removed and changed. Four statements at most."""
    tenant = tenant_of(request)
    given = [request.GET.get(side, "") for side in ("left", "right")]
    if not all(given):
        raise Http404(gettext("Name two versions."))
    rows = [find_definition(one, tenant=tenant) for one in given]
    shapes = [graph_shape(row.definition_id, tenant=tenant) for row in rows]
    left, right = ({**shape.nodes, **shape.flows} for shape in shapes)
    removed = sorted(left.keys() - right.keys())
    added = sorted(right.keys() - left.keys())
    changed = sorted(name for name in left.keys() & right.keys() if left[name] != right[name])
    context = {
        "left": rows[0],
        "right": rows[1],
        "removed": removed,
        "added": added,
        "changed": changed,
        "names": {name: node.name for shape in shapes for name, node in shape.nodes.items()},
        "diagrams": [
            {"file": reverse("cockpit:diagram", args=[row.definition_id]), "marks": marks}
            for row, marks in zip(
                rows,
                ({"removed": removed, "changed": changed}, {"added": added, "changed": changed}),
                strict=True,
            )
        ],
    }
    return render(request, "cockpit/comparison.html", context)
