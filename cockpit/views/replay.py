"""Replaying an instance: any moment of its past."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from bpm.queries.errors import Invalid
from bpm.queries.replay import ReplayState, replay_at
from bpm.queries.shape import graph_shape
from cockpit.access import operator_page, tenant_of
from cockpit.instance_frame import instance_frame


@operator_page
def replay(request: HttpRequest, instance_id: str) -> HttpResponse:
    """Show the slider. Four statements."""
    return render(request, "cockpit/replay.html", instance_frame(request, instance_id, "replay"))


@operator_page
def snapshot(request: HttpRequest, instance_id: str, cursor: int) -> HttpResponse:
    """Show what the instance held after an event. Five statements and one per 1,000 events up to it."""
    tenant = tenant_of(request)
    try:
        state = replay_at(instance_id, cursor, tenant=tenant)
    except Invalid as error:
        raise Http404(str(error)) from error
    changed = _changed(state)
    places = {scope["id"]: scope["node"] for scope in state.scopes}
    context = {
        "state": state,
        "nodes": graph_shape(state.definition_id, tenant=tenant).nodes,
        "variables": [
            {"scope": scope, "node": places.get(scope), "process": scope == state.instance_id, "name": name,
             "value": value, "changed": (scope, name) == changed}
            for scope, values in state.variables.items()
            for name, value in values.items()
        ],
        "tables": [
            (name, getattr(state, name)) for name in ("joins", "user_tasks", "external_tasks", "timers", "jobs",
                                                      "subscriptions", "incidents")
        ],
    }  # fmt: skip
    return render(request, "cockpit/snapshot.html", context)


def _changed(state: ReplayState) -> tuple[Any, Any] | None:
    """Return scope and name of the variable that the event has set, None for other events."""
    event = state.event
    if event is None or event.event_type != "VariableSet" or not isinstance(event.payload, dict):
        return None
    return event.payload.get("scope"), event.payload.get("name")
