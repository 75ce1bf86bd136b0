"""The time zone in which pages show times: UTC, the installation's, or the one a user has chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_safe

COOKIE: Final = "time_zone"
_YEAR_S: Final = 31_536_000
_MAX_NAME: Final = 64


def zone_of(name: str) -> ZoneInfo | None:
    """Return the zone of this name, None where there is none."""
    if not name or len(name) > _MAX_NAME:
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


class ZoneMiddleware:
    """Activates the zone that the user's cookie names; without one `TIME_ZONE` stays."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request with the zone active."""
        zone = zone_of(request.COOKIES.get(COOKIE, ""))
        if zone is None:
            return self.get_response(request)
        with timezone.override(zone):
            return self.get_response(request)


@require_safe
def choose_zone(request: HttpRequest) -> HttpResponse:
    """Keep the zone `zone` in a cookie and return to `next`; an unknown zone goes back to the default."""
    target = request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(target, allowed_hosts=None):
        target = "/"
    answer = HttpResponseRedirect(target)
    zone = zone_of(request.GET.get("zone", "").strip())
    if zone is None:
        answer.delete_cookie(COOKIE)
    else:
        answer.set_cookie(COOKIE, zone.key, max_age=_YEAR_S, samesite="Lax", secure=request.is_secure())
    return answer
