"""What people do with a task: one view for each button of its page."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from bpm.queries.comments import comments_of
from bpm.queries.forms import form_of_task
from bpm.queries.task_list import Viewer, find_known_task, may_complete
from bpm.queries.user_tasks import UserTaskRow
from cockpit.tasklist import submitting
from cockpit.tasklist.access import people_page, tenant_of
from cockpit.tasklist.detail import COMMENTS, FOR_OTHERS, filled, find_for_change, rights_of, task_page
from cockpit.tasklist.filled_form import FilledForm
from cockpit.tasklist.signed import address_after, shown_to
from cockpit.tasklist.submitting import Refusal, Submission
from cockpit.tasklist.words import words_of

INVALID: Final = 422
CONFLICT: Final = 409


@people_page
@require_POST
def complete(request: HttpRequest, task_id: UUID) -> HttpResponse:
    """Complete the task, or give a delegated one back, with what the form holds."""
    viewer, row = find_for_change(request, task_id)
    if not _is_theirs(request, viewer, row):
        return _told(request, viewer, row, words_of("TaskNotYours", ""))
    form = filled(row, request.POST)
    if row.status == "OPEN" and not form.is_valid():
        return task_page(request, viewer, row, form, status=INVALID)
    sent = _sent(request, viewer, row)
    act = submitting.resolve if row.delegation == "PENDING" else submitting.complete
    # A closed task's form is not looked at: the refusal says why, and the page keeps what was typed.
    variables = form.variables() if row.status == "OPEN" else {}
    answer = act(sent, str(task_id), variables)
    if isinstance(answer, Refusal):
        return _refused(request, viewer, row, answer)
    return redirect(address_after(viewer, row, resolved=row.delegation == "PENDING"))


@people_page
@require_POST
def claim(request: HttpRequest, task_id: UUID) -> HttpResponse:
    """Take the task; what was typed meanwhile stays."""
    viewer, row = find_for_change(request, task_id)
    if not _is_theirs(request, viewer, row):
        return _told(request, viewer, row, words_of("TaskNotYours", ""))
    return _changed(request, viewer, row, submitting.claim(_sent(request, viewer, row), str(task_id)))


@people_page
@require_POST
def release(request: HttpRequest, task_id: UUID) -> HttpResponse:
    """Give the task back."""
    viewer, row = find_for_change(request, task_id)
    return _changed(request, viewer, row, submitting.release(_sent(request, viewer, row), str(task_id)))


@people_page
@require_POST
def delegate(request: HttpRequest, task_id: UUID) -> HttpResponse:
    """Let somebody else do a part of it; as an operator also: give it to somebody for good."""
    viewer, row = find_for_change(request, task_id)
    person = request.POST.get("person", "").strip()
    if not person or len(person) > 255 or not person.isprintable():
        typed = {"person": person, "person_error": _("Enter the name of a user.")}
        return task_page(request, viewer, row, _untouched(row), typed=typed, status=INVALID)
    act = (
        submitting.assign
        if "assign" in request.POST and viewer.operates_on(row.process_def_id)
        else submitting.delegate
    )
    answer = act(_sent(request, viewer, row), str(task_id), person)
    if isinstance(answer, Refusal):
        return _refused(request, viewer, row, answer, typed={"person": person})
    messages.success(request, _("The task is with %(person)s now.") % {"person": person})
    return redirect("tasklist:tasks")


@people_page
@require_POST
def comment(request: HttpRequest, task_id: UUID) -> HttpResponse:
    """Write a comment; htmx gets the comments alone, so that the form beside them stays as it is."""
    viewer, row = find_for_change(request, task_id)
    message = request.POST.get("message", "").replace("\r\n", "\n").strip()
    refusal = "" if message else _("Write something first.")
    if message:
        answer = submitting.comment(_sent(request, viewer, row), str(task_id), message)
        refusal = words_of(answer.code, answer.message) if isinstance(answer, Refusal) else ""
    if request.headers.get("HX-Target") == "comments":
        context: dict[str, Any] = {
            "task": row,
            "comments": comments_of(row.task_id, limit=COMMENTS),
            "can": rights_of(viewer, row),
            "shown": shown_to(task_id, viewer),
            "typed": {"message": message, "message_error": refusal} if refusal else {},
        }
        return render(request, "tasklist/comments.html", context)
    if refusal:
        typed = {"message": message, "message_error": refusal}
        return task_page(request, viewer, row, _untouched(row), typed=typed, status=INVALID)
    return redirect("tasklist:task", task_id=task_id)


@people_page
@require_POST
def fields(request: HttpRequest, task_id: UUID) -> HttpResponse:
    """Return the fields anew for what is typed: some are shown only for certain values of others."""
    _viewer, row = find_for_change(request, task_id)
    form = filled(row, request.POST, quiet=True)
    return render(request, "tasklist/fields.html", {"form": form, "entries": list(form.entries())})


def _sent(request: HttpRequest, viewer: Viewer, row: UserTaskRow) -> Submission:
    for_others = FOR_OTHERS in request.POST and viewer.operates_on(row.process_def_id)
    return submitting.read_submission(request, viewer, for_others=for_others)


def _untouched(row: UserTaskRow) -> FilledForm:
    return FilledForm(form_of_task(row))


def _changed(
    request: HttpRequest, viewer: Viewer, row: UserTaskRow, answer: dict[str, Any] | Refusal
) -> HttpResponse:
    """Go on on the task's page; where something was typed, with it and without another request."""
    if isinstance(answer, Refusal):
        return _refused(request, viewer, row, answer)
    form = filled(row, request.POST, quiet=True)
    if not form.has_changed():
        return redirect("tasklist:task", task_id=row.task_id)
    return task_page(request, viewer, find_known_task(row.task_id, tenant=row.tenant), form)


def _is_theirs(request: HttpRequest, viewer: Viewer, row: UserTaskRow) -> bool:
    """Return whether they may do an open task; a closed one the engine refuses in its own words."""
    for_others = FOR_OTHERS in request.POST and viewer.operates_on(row.process_def_id)
    return row.status != "OPEN" or for_others or may_complete(viewer, row)


def _refused(
    request: HttpRequest,
    viewer: Viewer,
    row: UserTaskRow,
    refusal: Refusal,
    *,
    typed: dict[str, str] | None = None,
) -> HttpResponse:
    now = find_known_task(row.task_id, tenant=tenant_of(request))
    return _told(request, viewer, now, words_of(refusal.code, refusal.message), typed=typed)


def _told(
    request: HttpRequest,
    viewer: Viewer,
    row: UserTaskRow,
    words: str,
    *,
    typed: dict[str, str] | None = None,
) -> HttpResponse:
    """Show the task as it is now, why nothing was done, and everything that was typed."""
    form = filled(row, request.POST if typed is None else None, quiet=True)
    return task_page(request, viewer, row, form, refusal=words, typed=typed, status=CONFLICT)
