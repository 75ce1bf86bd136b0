"""What all pages about one instance show: its facts, its diagram, the tabs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, Final

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy

from bpm.queries.instances import InstanceFilter, InstanceRow, find_instance, list_instances
from bpm.queries.shape import GraphShape, graph_shape
from bpm.queries.verified import verdict_of
from cockpit.access import tenant_of
from cockpit.refreshing import live_attributes

TABS: Final = (
    ("instance", gettext_lazy("Now")),
    ("timeline", gettext_lazy("Time line")),
    ("replay", gettext_lazy("Replay")),
    ("history", gettext_lazy("History")),
    ("variables", gettext_lazy("Variables")),
    ("work", gettext_lazy("Tasks and timers")),
)
ENDED: Final = ("COMPLETED", "CANCELLED")
_CALLED: Final = 20


def instance_frame(request: HttpRequest, instance_id: str, tab: str) -> dict[str, Any]:
    """Return the context of the frame. Four statements, one more the first time the graph is needed.

    Raises:
        NotFound: there is none of this id in this tenant.
    """
    tenant = tenant_of(request)
    row = find_instance(instance_id, tenant=tenant)
    shape = graph_shape(row.definition_id, tenant=tenant)
    called = list_instances(tenant, InstanceFilter(parent_instance_id=row.instance_id), limit=_CALLED)
    live = row.status not in ENDED
    return {
        "instance": row,
        "live": live,
        "nodes": shape.nodes,
        "verdict": verdict_of(row.instance_id),
        "called": called.items,
        "more_called": called.next is not None,
        "tab": tab,
        "tabs": [(name, label, reverse(f"cockpit:{name}", args=[row.instance_id])) for name, label in TABS],
        "diagram": diagram_data(row, shape, live=live),
        "refresh": live_attributes(request) if live and tab in ("instance", "work", "variables") else "",
    }


def diagram_data(row: InstanceRow, shape: GraphShape, *, live: bool) -> dict[str, Any]:
    """Return what the diagram's script needs."""
    return {
        "file": reverse("cockpit:diagram", args=[row.definition_id]),
        "pieces": reverse("cockpit:timeline_piece", args=[row.instance_id]),
        "live": live,
        "nodes": {name: asdict(node) for name, node in shape.nodes.items()},
        "flows": shape.flows,
    }


def as_json(value: Any) -> str:
    """Return compact JSON."""
    return json.dumps(value, separators=(",", ":"))
