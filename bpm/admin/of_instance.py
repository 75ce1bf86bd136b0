"""History and variables of one instance: tables whose keys have several columns, which stock pages cannot show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from django.contrib.admin import ModelAdmin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from bpm.models import HistoryEvent, ProcessInstance, Variable
from bpm.queries.history import CATEGORIES
from bpm.queries.identifier import is_id

ROWS: Final = 100
Page = Callable[..., HttpResponse]


def events(admin: ModelAdmin[Any]) -> Page:
    """Return the view of the history: a hundred events from a sequence on, by type, category, token and node."""

    def page(request: HttpRequest, instance_id: UUID) -> HttpResponse:
        asked = {
            name: request.GET.get(name, "").strip()[:255]
            for name in ("event_type", "category", "token", "node")
        }
        rows = HistoryEvent.objects.filter(instance_id=instance_id)
        wrong = asked["token"] and not is_id(asked["token"])
        rows = (
            rows.none() if wrong else rows.filter(**{name: value for name, value in asked.items() if value})
        )
        start = request.GET.get("from", "")
        if start.isascii() and start.isdigit() and len(start) < 10:
            rows = rows.filter(sequence__gte=int(start))
        found = list(rows.order_by("sequence")[: ROWS + 1])
        following = found[ROWS].sequence if len(found) > ROWS else None
        own = {"rows": found[:ROWS], "asked": asked, "following": following, "categories": CATEGORIES}
        return _page(admin, request, instance_id, "events", _("History"), own)

    return page


def variables(admin: ModelAdmin[Any]) -> Page:
    """Return the view of the variables of all scopes, by scope and name."""

    def page(request: HttpRequest, instance_id: UUID) -> HttpResponse:
        name = request.GET.get("name", "").strip()[:255]
        rows = Variable.objects.filter(instance_id=instance_id)
        rows = rows.filter(name=name) if name else rows
        found = list(rows.order_by("scope", "name").values("scope", "name", "value")[: ROWS * 10])
        own = {"rows": found, "asked": {"name": name}, "most": ROWS * 10}
        return _page(admin, request, instance_id, "variables", _("Variables"), own)

    return page


def _page(
    admin: ModelAdmin[Any],
    request: HttpRequest,
    instance_id: UUID,
    name: str,
    title: str,
    own: dict[str, Any],
) -> HttpResponse:
    if not admin.has_view_permission(request):
        raise PermissionDenied
    instance = ProcessInstance.objects.filter(id=instance_id).first()
    if instance is None:
        raise Http404
    context = {
        **admin.admin_site.each_context(request),
        "title": title,
        "opts": ProcessInstance._meta,  # noqa: SLF001 - Django's public _meta
        "instance": instance,
        **own,
    }
    return render(request, f"admin/bpm/processinstance/{name}.html", context)
