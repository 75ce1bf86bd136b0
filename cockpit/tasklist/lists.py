"""The list of tasks, and what is new in it."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from bpm.queries.identifier import is_id
from bpm.queries.task_list import (
    COUNTED,
    Sort,
    Which,
    count_tasks_for,
    list_tasks_for,
    newest_task,
    news_for,
)
from cockpit.tasklist.access import people_page, tenant_of, viewer_of
from cockpit.tasklist.asked import read_asked

PAGE: Final = 25
_TITLES: Final[dict[Which, Any]] = {"mine": _("My tasks"), "groups": _("To take"), "all": _("All tasks")}
_SORTS: Final[dict[Sort, Any]] = {
    "due": _("Due first"),
    "priority": _("Priority"),
    "newest": _("Newest first"),
    "oldest": _("Oldest first"),
}
UNCHANGED: Final = 204
"""Status that says: what you show is still right."""


@people_page
@require_safe
def tasks(request: HttpRequest) -> HttpResponse:
    """Show a page of the list; a refresh that finds nothing new answers with 204."""
    viewer = viewer_of(request)
    tenant, asked, now = tenant_of(request), read_asked(request.GET), timezone.now()
    page = list_tasks_for(
        viewer, asked.narrowed(now), tenant=tenant, sort=asked.sort, cursor=asked.cursor or None, limit=PAGE
    )
    counts = count_tasks_for(viewer, tenant=tenant)
    version = _version(
        (page.items, page.next, counts, [row.due_at and row.due_at < now for row in page.items])
    )
    if request.GET.get("known") == version:
        return HttpResponse(status=UNCHANGED)
    context = {
        "asked": asked,
        "title": _TITLES[asked.which],
        "page": page,
        "now": now,
        "version": version,
        "next": asked.address(cursor=page.next) if page.next else "",
        "first": asked.address() if asked.cursor else "",
        "here": asked.address(cursor=asked.cursor),
        "tabs": [
            (which, title, asked.address(list=which), _count(counts.get(which)))
            for which, title in _TITLES.items()
        ],
        "sorts": _SORTS.items(),
        "since": newest_task(tenant),
        "can_start": viewer.starts != frozenset(),
    }
    part = request.headers.get("HX-Target") == "board"
    return render(request, "tasklist/board.html" if part else "tasklist/tasks.html", context)


@people_page
@require_safe
def news(request: HttpRequest) -> HttpResponse:
    """Say how many tasks have come for the user since the one `since`; 204 while that is as `known`."""
    since = request.GET.get("since", "")
    known = request.GET.get("known", "")
    if not is_id(since):
        return HttpResponse(status=UNCHANGED)
    found = news_for(viewer_of(request), tenant=tenant_of(request), since=since)
    if str(found) == known:
        return HttpResponse(status=UNCHANGED)
    return render(request, "tasklist/news.html", {"since": since, "news": found, "most": COUNTED})


def _count(number: int | None) -> str:
    if not number:
        return ""
    return f"{COUNTED}+" if number > COUNTED else str(number)


def _version(parts: Iterable[object]) -> str:
    return sha256(repr(tuple(parts)).encode()).hexdigest()[:16]
