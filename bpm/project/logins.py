"""Slowing down those who guess passwords; django-axes counts, in the database."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def client_address(request: HttpRequest) -> str:
    """Return from where a request comes: behind a trusted proxy what that proxy has seen, else the connection."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
    if settings.SECURE_PROXY_SSL_HEADER and forwarded:
        # The trusted proxy adds the last one; what stands before it is the client's own word.
        return str(forwarded.rpartition(",")[2].strip())
    return str(request.META.get("REMOTE_ADDR", ""))


def refuse_log_in(
    request: HttpRequest, response: HttpResponse | None = None, credentials: Any = None
) -> HttpResponse:
    """Answer 429 to whoever has tried too often, whether or not the password is right now."""
    wait_s = int(settings.AXES_COOLOFF_TIME.total_seconds())
    answer = render(request, "registration/too_many.html", {"minutes": -(-wait_s // 60)}, status=429)
    answer["Retry-After"] = str(wait_s)
    return answer
