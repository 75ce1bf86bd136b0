"""Where somebody begins who opens the root of the site."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from cockpit.access import may_view


@never_cache
@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Lead operators to the cockpit, and everybody else to their tasks."""
    return redirect("cockpit:overview" if may_view(request) else "tasklist:tasks")
