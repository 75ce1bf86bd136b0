"""One instance: where it stands and why, its variables, its open work."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from bpm.queries.explain import explain
from bpm.queries.external_tasks import ExternalTaskFilter, list_dead_letters, list_external_tasks
from bpm.queries.history import EventFilter, list_events
from bpm.queries.incidents import IncidentFilter, list_incidents
from bpm.queries.jobs import list_jobs
from bpm.queries.joins import open_joins
from bpm.queries.scopes import list_scopes
from bpm.queries.timers import list_timers
from bpm.queries.user_tasks import UserTaskFilter, list_user_tasks
from bpm.queries.variables import list_variables
from cockpit.access import operator_page, tenant_of
from cockpit.instance_frame import instance_frame
from cockpit.waits import wait_lines

_SHOWN = 200
_SCOPES = 50


@operator_page
def instance(request: HttpRequest, instance_id: str) -> HttpResponse:
    """Show where it stands: joins, what each token waits for, incidents. Thirteen statements at most."""
    tenant = tenant_of(request)
    context = instance_frame(request, instance_id, "instance")
    if context["live"]:
        explanation = explain(instance_id, tenant=tenant)
        row = context["instance"]
        opened = {str(join.join_id): join.since for join in open_joins(row.instance_id, row.definition_id)}
        context |= wait_lines(explanation, context["nodes"], opened)
    wanted = IncidentFilter(instance_id=context["instance"].instance_id, status=None)
    context["incidents"] = list_incidents(tenant, wanted, limit=_SHOWN).items
    return render(request, "cockpit/instance.html", context)


@operator_page
def variables(request: HttpRequest, instance_id: str) -> HttpResponse:
    """Show variables by scope, and how they changed. Ten statements."""
    tenant = tenant_of(request)
    context = instance_frame(request, instance_id, "variables")
    scopes = {scope.scope_id: scope for scope in list_scopes(instance_id, tenant=tenant)}
    grouped: dict[Any, list[Any]] = {}
    for row in list_variables(instance_id, tenant=tenant):
        grouped.setdefault(row.scope_id, []).append(row)
    own = context["instance"].instance_id
    context["more_scopes"] = max(len(grouped) - _SCOPES, 0)
    context["scopes"] = [
        {"scope": scopes.get(scope), "process": scope == own, "id": scope, "rows": rows}
        for scope, rows in sorted(grouped.items(), key=lambda item: (item[0] != own, item[0]))[:_SCOPES]
    ]
    changes = list_events(
        instance_id,
        tenant=tenant,
        chosen=EventFilter(categories=("variable",)),
        cursor=request.GET.get("cursor"),
        limit=_SHOWN,
    )
    context["changes"] = [event for event in changes.items if event.event_type.startswith("Variable")]
    context["next"] = changes.next
    context["own_scope"] = str(own)
    return render(request, "cockpit/variables.html", context)


@operator_page
def work(request: HttpRequest, instance_id: str) -> HttpResponse:
    """Show tasks, timers and jobs that are open, and what workers have given up. Nine statements."""
    tenant = tenant_of(request)
    context = instance_frame(request, instance_id, "work")
    own = context["instance"].instance_id
    given_up = list_dead_letters(tenant, ExternalTaskFilter(instance_id=own), limit=_SHOWN)
    waiting = list_external_tasks(tenant, ExternalTaskFilter(instance_id=own), limit=_SHOWN)
    context |= {
        "user_tasks": list_user_tasks(tenant, UserTaskFilter(instance_id=own), limit=_SHOWN),
        "external_tasks": [*given_up.items, *waiting.items],
        "timers": list_timers(
            tenant, instance_id=own, suspended=context["instance"].status == "SUSPENDED", limit=_SHOWN
        ),
        "jobs": list_jobs(tenant, instance_id=own, limit=_SHOWN),
    }
    return render(request, "cockpit/work.html", context)
