"""The events of one instance."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from bpm.queries.history import CATEGORIES, EventFilter, list_events
from cockpit.access import operator_page, tenant_of
from cockpit.instance_frame import instance_frame
from cockpit.paging import next_address

_PAGE = 100


@operator_page
def history(request: HttpRequest, instance_id: str) -> HttpResponse:
    """Show events in order, narrowed by category, type and token. Six statements."""
    context = instance_frame(request, instance_id, "history")
    given = {name: request.GET.get(name, "").strip() for name in ("category", "type", "token")}
    token = _id(given["token"])
    unreadable = bool(given["token"]) and token is None
    chosen = EventFilter(
        token_id=token,
        event_type=given["type"] or None,
        categories=(given["category"],) if given["category"] in CATEGORIES else None,
    )
    page = list_events(
        instance_id, tenant=tenant_of(request), chosen=chosen, cursor=request.GET.get("cursor"), limit=_PAGE
    )
    context |= {
        "events": () if unreadable else page.items,
        "next": None if unreadable else next_address(request, page.next),
        "categories": CATEGORIES,
        "given": given,
        "filtered": any(given.values()),
        "unreadable": unreadable,
    }
    return render(request, "cockpit/history.html", context)


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
