"""Starting processes by their forms."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bpm.queries.forms import start_form
from bpm.queries.starters import StarterRow, find_starter, list_starters
from bpm.queries.task_list import Viewer
from cockpit.tasklist import submitting
from cockpit.tasklist.access import may_start, people_page, tenant_of, viewer_of
from cockpit.tasklist.actions import CONFLICT, INVALID
from cockpit.tasklist.filled_form import FilledForm
from cockpit.tasklist.signed import address_after_start
from cockpit.tasklist.submitting import Refusal
from cockpit.tasklist.words import words_of


@people_page
@require_safe
def processes(request: HttpRequest) -> HttpResponse:
    """Show what the user can start."""
    viewer = viewer_of(request)
    found = [one for one in list_starters(tenant_of(request)) if may_start(viewer, one)]
    return render(request, "tasklist/processes.html", {"processes": found})


@people_page
@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, process: str) -> HttpResponse:
    """Show the form of the newest version, and start it by what it holds."""
    viewer, starter = _starter(request, process)
    sent = request.method == "POST"
    form = _filled(request, starter, request.POST if sent else None)
    if not sent:
        return _page(request, starter, form)
    if not form.is_valid():
        return _page(request, starter, form, status=INVALID)
    answer = submitting.start(
        submitting.read_submission(request, viewer),
        str(starter.definition_id),
        form.business_key(),
        form.variables(),
    )
    if isinstance(answer, Refusal):
        words = words_of(answer.code, answer.message)
        form = _filled(request, starter, request.POST, quiet=True)
        return _page(request, starter, form, refusal=words, status=CONFLICT)
    return redirect(address_after_start(viewer, starter.name, answer["instance_id"]))


@people_page
@require_POST
def start_fields(request: HttpRequest, process: str) -> HttpResponse:
    """Return the fields anew for what is typed."""
    _viewer, starter = _starter(request, process)
    form = _filled(request, starter, request.POST, quiet=True)
    return render(request, "tasklist/fields.html", {"form": form, "entries": list(form.entries())})


def _starter(request: HttpRequest, process: str) -> tuple[Viewer, StarterRow]:
    viewer = viewer_of(request)
    found = find_starter(process, tenant_of(request))
    if found is None:
        raise Http404
    if not may_start(viewer, found):
        raise PermissionDenied
    return viewer, found


def _filled(request: HttpRequest, starter: StarterRow, data: Any, *, quiet: bool = False) -> FilledForm:
    tenant = tenant_of(request)
    _, row = start_form(starter.definition_id, tenant=tenant)
    form = FilledForm(row, data, starts=True, quiet=quiet)
    if data is None or not form.conditional:
        return form
    _, row = start_form(starter.definition_id, tenant=tenant, typed=form.typed())
    return FilledForm(row, data, starts=True, quiet=quiet)


def _page(
    request: HttpRequest, starter: StarterRow, form: FilledForm, *, refusal: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "process": starter,
        "form": form,
        "entries": list(form.entries()),
        "problems": form.problems() if form.is_bound and not form.quiet else [],
        "refusal": refusal,
        "once": uuid4().hex,
    }
    return render(request, "tasklist/start.html", context, status=status)
