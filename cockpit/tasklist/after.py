"""What happened next: where the process is after a task or a start, and what there is to do now."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from bpm.queries.task_list import TaskListFilter, list_tasks_for, next_tasks_in
from bpm.queries.whereabouts import whereabouts
from cockpit.tasklist.access import people_page, tenant_of, viewer_of
from cockpit.tasklist.signed import read_signed

FEW: Final = 5


@people_page
@require_safe
def after(request: HttpRequest, signed: str) -> HttpResponse:
    """Show it; the page asks again for as long as the process moves by itself."""
    viewer = viewer_of(request)
    what = read_signed(signed, viewer)
    tenant = tenant_of(request)
    where = whereabouts(what["instance"], tenant=tenant)
    here = next_tasks_in(viewer, what["instance"], tenant=tenant, limit=FEW)
    mine = list_tasks_for(viewer, TaskListFilter(which="mine"), tenant=tenant, limit=FEW)
    known = {row.task_id for row in here}
    context = {
        "what": what,
        "where": where,
        "here": here,
        "others": [row for row in mine.items if row.task_id not in known],
        "can_start": viewer.starts != frozenset(),
        "moves": where.status == "RUNNING" and any(place.wait != "user" for place in where.places),
    }
    part = request.headers.get("HX-Target") == "whereabouts"
    return render(request, "tasklist/whereabouts.html" if part else "tasklist/after.html", context)
