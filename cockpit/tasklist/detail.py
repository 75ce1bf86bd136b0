"""The page of one task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid4

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from bpm.queries.comments import comments_of
from bpm.queries.forms import form_of_task
from bpm.queries.task_list import Viewer, find_known_task, may_complete
from bpm.queries.user_tasks import UserTaskRow, find_user_task
from cockpit.tasklist.access import people_page, tenant_of, viewer_of
from cockpit.tasklist.filled_form import FilledForm
from cockpit.tasklist.kept_text import with_typed
from cockpit.tasklist.signed import SHOWN, shown_to, was_shown

COMMENTS: Final = 200
FOR_OTHERS: Final = "for_others"
"""Name of the hidden field by which an operator says that the task is somebody else's."""


@dataclass(frozen=True, slots=True)
class Rights:
    """What the viewer can do with a task now."""

    complete: bool
    resolve: bool
    claim: bool
    release: bool
    delegate: bool
    assign: bool
    comment: bool
    for_others: bool


def rights_of(viewer: Viewer, task: UserTaskRow) -> Rights:
    """Return what the page offers; the engine has the last word."""
    is_open = task.status == "OPEN"
    can_act = is_open and not task.suspended
    own = may_complete(viewer, task)
    assigned = task.assignee == viewer.user
    pending = task.delegation == "PENDING"
    operator = viewer.operates_on(task.process_def_id)
    able = can_act and (own or operator)
    return Rights(
        complete=able and not pending,
        resolve=able and pending,
        claim=able and task.assignee is None,
        release=can_act and task.assignee is not None and not pending and (assigned or operator),
        delegate=can_act and task.assignee is not None and (assigned or operator),
        assign=can_act and operator,
        comment=is_open,
        for_others=operator and not own,
    )


@people_page
@require_safe
def task(request: HttpRequest, task_id: UUID) -> HttpResponse:
    """Show a task with its form."""
    viewer = viewer_of(request)
    row = find_user_task(task_id, tenant=tenant_of(request))
    return task_page(request, viewer, row, FilledForm(form_of_task(row)))


def find_for_change(request: HttpRequest, task_id: UUID) -> tuple[Viewer, UserTaskRow]:
    """Return who sends a form of a task's page, and the task as it is now.

    It may be somebody else's since the page was shown: then they are told so, and keep what they typed. Who was
    never shown the page has no proof of it, and is told nothing.

    Raises:
        TaskNotFound: it is not there, or nothing of theirs.
    """
    viewer = viewer_of(request)
    if was_shown(request.POST.get(SHOWN, ""), task_id, viewer):
        return viewer, find_known_task(task_id, tenant=tenant_of(request))
    return viewer, find_user_task(task_id, tenant=tenant_of(request))


def filled(row: UserTaskRow, data: Any, *, quiet: bool = False) -> FilledForm:
    """Return the task's form with what was typed; its conditions see that, too.

    Args:
        quiet: keep what is typed without saying what is wrong with it.
    """
    if row.status != "OPEN" and data is not None:
        # Its variables are gone: what was typed stands under the names of the fields that were there.
        return FilledForm(with_typed(form_of_task(row), data), data, quiet=quiet)
    form = FilledForm(form_of_task(row), data, quiet=quiet)
    if not form.conditional:
        return form
    return FilledForm(form_of_task(row, form.typed()), data, quiet=quiet)


def task_page(
    request: HttpRequest,
    viewer: Viewer,
    row: UserTaskRow,
    form: FilledForm,
    *,
    refusal: str = "",
    typed: Mapping[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    """Return the page.

    Args:
        refusal: words for what could not be done.
        typed: what was typed into the other forms of the page, by field.
    """
    context = {
        "task": row,
        "form": form,
        "entries": list(form.entries()),
        "problems": form.problems() if form.is_bound and not form.quiet else [],
        "can": rights_of(viewer, row),
        "viewer": viewer,
        "now": timezone.now(),
        "comments": comments_of(row.task_id, limit=COMMENTS),
        "refusal": refusal,
        "typed": typed or {},
        "once": uuid4().hex,
        "shown": shown_to(row.task_id, viewer),
    }
    return render(request, "tasklist/task.html", context, status=status)
