"""Who may do what on the task pages: the one place where they ask (`bpm.access` knows)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from bpm.access.caller import the_caller
from bpm.access.loading import own_groups
from bpm.access.permissions import Permission
from bpm.queries.errors import CursorInvalid, NotFound
from bpm.queries.starters import StarterRow
from bpm.queries.task_list import Viewer
from cockpit.access import tenant_of

__all__ = ["may_start", "people_page", "tenant_of", "viewer_of"]

View = Callable[..., HttpResponse]


def people_page(view: View) -> View:
    """Make a view a page for whoever is logged in, never cached; what is not there is 404."""

    @never_cache
    @login_required
    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except (NotFound, CursorInvalid) as error:
            raise Http404 from error

    return page


def viewer_of(request: HttpRequest) -> Viewer:
    """Return who looks. The access rules have loaded the caller; one statement for a superuser's groups."""
    caller = the_caller()
    account = caller.account
    return Viewer(
        user=account.name,
        groups=own_groups(request.user) if account.everything else account.groups,
        completes=caller.keys(Permission.COMPLETE),
        operates=caller.keys(Permission.OPERATE),
        starts=caller.keys(Permission.START),
    )


def may_start(viewer: Viewer, process: StarterRow) -> bool:
    """Return whether the viewer may start a process, and is among its candidate starters where there are any."""
    key = process.process_def_id
    if viewer.operates_on(key):
        return True
    if viewer.starts is not None and key not in viewer.starts:
        return False
    if not (process.candidate_users or process.candidate_groups):
        return True
    return viewer.user in process.candidate_users or not viewer.groups.isdisjoint(process.candidate_groups)
