"""Who may see a page, and whose data it shows: the one place where pages ask."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from bpm.access.caller import present_caller, the_caller
from bpm.access.permissions import Permission
from bpm.queries.errors import CursorInvalid, NotFound

View = Callable[..., HttpResponse]


def may_view(request: HttpRequest) -> bool:
    """Return whether the user may see the cockpit at all; what of it, queries know by themselves."""
    caller = present_caller()
    return caller is not None and caller.may(Permission.VIEW)


def tenant_of(request: HttpRequest) -> str:
    """Return the tenant whose data the request sees: one of the user's own (`bpm.access.pages`)."""
    return the_caller().tenant


def cacheable_operator_page(view: View) -> View:
    """Make a view a cockpit page: GET only, logged in, permitted; what is not there is 404."""

    @require_safe
    @login_required
    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not may_view(request):
            raise PermissionDenied
        try:
            return view(request, *args, **kwargs)
        except (NotFound, CursorInvalid) as error:
            raise Http404 from error

    return page


def operator_page(view: View) -> View:
    """Make a view a cockpit page that nobody keeps a copy of."""
    return never_cache(cacheable_operator_page(view))
