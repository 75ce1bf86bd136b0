"""Addresses of the next page of a list."""

from __future__ import annotations

from django.http import HttpRequest


def next_address(request: HttpRequest, cursor: str | None) -> str | None:
    """Return the address of what comes after this page with the same filters, None at the end."""
    if cursor is None:
        return None
    parameters = request.GET.copy()
    parameters["cursor"] = cursor
    return f"?{parameters.urlencode()}"


def first_address(request: HttpRequest) -> str | None:
    """Return the address of the first page with the same filters, None on the first page itself."""
    if "cursor" not in request.GET:
        return None
    parameters = request.GET.copy()
    del parameters["cursor"]
    return f"?{parameters.urlencode()}" if parameters else "."
