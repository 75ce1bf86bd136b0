"""Searching instances."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext

from bpm.queries.definitions import list_definitions
from bpm.queries.errors import Invalid
from bpm.queries.exact_json import from_outside
from bpm.queries.instance_search import VariableCondition, search_instances
from bpm.queries.instances import STATUSES, InstanceFilter
from cockpit.access import operator_page, tenant_of
from cockpit.paging import first_address, next_address
from cockpit.refreshing import live_attributes

_PAGE: Final = 50
_KEYS: Final = 500
_TEXTS: Final = (
    "id", "business_key", "process", "version", "status", "node", "incident", "variable", "value", "from", "to",
)  # fmt: skip


@operator_page
def instances(request: HttpRequest) -> HttpResponse:
    """Show instances that match, newest first; an id alone leads to its page. Four statements."""
    given = {name: request.GET.get(name, "").strip() for name in _TEXTS}
    wanted = _id(given["id"])
    if wanted is not None:
        return HttpResponseRedirect(reverse("cockpit:instance", args=[wanted]))
    tenant = tenant_of(request)
    errors: dict[str, str] = {}
    if given["id"]:
        errors["id"] = gettext("An id has 36 characters, such as 01a22915-4a0e-7000-8000-034041495400.")
    chosen = _filter(given, errors)
    variables = _variables(given, errors)
    keys = list_definitions(tenant, latest=True, limit=_KEYS).items
    context: dict[str, Any] = {
        "given": given,
        "errors": errors,
        "filtered": any(given.values()),
        "statuses": STATUSES,
        "keys": [row.process_def_id for row in keys],
        "cursor": request.GET.get("cursor"),
        "refresh": live_attributes(request, "10s") if not errors else "",
    }
    if not errors:
        found = search_instances(tenant, chosen, variables=variables, cursor=context["cursor"], limit=_PAGE)
        context |= {
            "rows": found.items,
            "count": found.count,
            "next": next_address(request, found.next),
            "first": first_address(request),
            "short": found.short,
        }
    return render(request, "cockpit/instances.html", context)


def _filter(given: dict[str, str], errors: dict[str, str]) -> InstanceFilter:
    status = given["status"]
    version = given["version"]
    if version and not (version.isascii() and version.isdigit() and len(version) <= 9):
        errors["version"] = gettext("A version is a whole number.")
        version = ""
    return InstanceFilter(
        status=status if status in STATUSES else None,
        running={"live": True, "ended": False}.get(status),
        process_def_id=given["process"] or None,
        version=int(version) if version else None,
        business_key=given["business_key"] or None,
        node=given["node"] or None,
        incident={"yes": True, "no": False}.get(given["incident"]),
        started_from=_time(given, "from", errors),
        started_before=_time(given, "to", errors),
    )


def _variables(given: dict[str, str], errors: dict[str, str]) -> tuple[VariableCondition, ...]:
    if not given["variable"]:
        if given["value"]:
            errors["variable"] = gettext("Name the variable that has this value.")
        return ()
    if not given["value"]:
        return (VariableCondition(name=given["variable"], any_value=True),)
    return (VariableCondition(name=given["variable"], value=_value(given["value"])),)


def _value(text: str) -> Any:
    """Return what a typed value means: JSON where it is JSON, else the text itself."""
    try:
        return from_outside(text)
    except (ValueError, Invalid):
        return text


def _time(given: dict[str, str], name: str, errors: dict[str, str]) -> datetime | None:
    text = given[name]
    if not text:
        return None
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    if found is None:
        errors[name] = gettext("A time looks like 2030-01-31 14:30.")
        return None
    return timezone.make_aware(found) if timezone.is_naive(found) else found


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
