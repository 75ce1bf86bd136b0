"""Which tenant a page is for: what the header says, else what the browser's session has chosen."""

from __future__ import annotations

from typing import Any, Final

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from bpm.access.models import Membership

SESSION_KEY: Final = "bpm_tenant"
_MOST: Final = 500


def chosen_tenant(request: HttpRequest) -> str | None:
    """Return the tenant that a page is asked for, None without any; whose it is, the rules look at."""
    header: str | None = request.META.get("HTTP_X_TENANT_ID")
    if header is not None:
        return header
    chosen: str | None = request.session.get(SESSION_KEY)
    return chosen


def tenants_of(user: Any) -> list[str]:
    """Return the tenants among which a user may choose, at most 500; superusers among all that have members.

    One statement.
    """
    rows = Membership.objects.all()
    if not user.is_superuser:
        rows = rows.filter(Q(user=user) | Q(group__in=user.groups.all()))
    found = list(rows.values_list("tenant", flat=True).distinct().order_by("tenant")[:_MOST])
    return ["", *(one for one in found if one)] if user.is_superuser or not found else found


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def choose_tenant(request: HttpRequest) -> HttpResponse:
    """Show the user's tenants, and keep the chosen one in the session.

    Raises:
        PermissionDenied: the chosen one is not among them.
    """
    place = request.POST.get("next") or request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(place, allowed_hosts={request.get_host()}):
        place = "/"
    tenants = tenants_of(request.user)
    if request.method != "POST":
        now = request.session.get(SESSION_KEY)
        return render(request, "registration/tenant.html", {"tenants": tenants, "next": place, "now": now})
    chosen = request.POST.get("tenant", "")
    if chosen not in tenants:
        raise PermissionDenied
    request.session[SESSION_KEY] = chosen
    return redirect(place)
