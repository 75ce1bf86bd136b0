"""How pages say what rows hold: statuses, times, counts, values."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, ngettext

from bpm.queries.bounded import Bounded
from bpm.queries.exact_json import to_text

register = template.Library()

_SIGNS: Final = {
    "RUNNING": ("live", "▶", gettext_lazy("Running")),
    "SUSPENDED": ("warn", "‖", gettext_lazy("Suspended")),
    "FAILED": ("bad", "!", gettext_lazy("Failed")),
    "COMPLETED": ("good", "✓", gettext_lazy("Completed")),
    "CANCELLED": ("", "✕", gettext_lazy("Cancelled")),
    "OPEN": ("wait", "○", gettext_lazy("Open")),
    "RESOLVED": ("good", "✓", gettext_lazy("Resolved")),
    "READY": ("wait", "○", gettext_lazy("Ready")),
    "LOCKED": ("live", "◐", gettext_lazy("Leased")),
    "SCHEDULED": ("wait", "◷", gettext_lazy("Scheduled")),
    "Created": ("live", "+", gettext_lazy("Created")),
    "Ready": ("live", "○", gettext_lazy("Ready")),
    "Executing": ("live", "▶", gettext_lazy("Executing")),
    "Waiting": ("wait", "◷", gettext_lazy("Waiting")),
    "Completed": ("good", "✓", gettext_lazy("Completed")),
    "Failed": ("bad", "!", gettext_lazy("Failed")),
    "Suspended": ("warn", "‖", gettext_lazy("Suspended")),
    "Terminated": ("", "✕", gettext_lazy("Ended")),
}
_TABLES: Final = {
    "joins": gettext_lazy("Joins that waited"),
    "user_tasks": gettext_lazy("Tasks for people"),
    "external_tasks": gettext_lazy("Tasks for workers"),
    "timers": gettext_lazy("Timers"),
    "jobs": gettext_lazy("Jobs of the engine"),
    "subscriptions": gettext_lazy("Subscriptions"),
    "incidents": gettext_lazy("Incidents"),
}
_TOLD: Final = {
    "arrived": gettext_lazy("arrived"),
    "expected": gettext_lazy("expected"),
    "assignee": gettext_lazy("assigned to"),
    "topic": gettext_lazy("topic"),
    "worker": gettext_lazy("worker"),
    "lease_expires_at": gettext_lazy("leased until"),
    "retries": gettext_lazy("retries left"),
    "due_at": gettext_lazy("due"),
    "kind": gettext_lazy("kind"),
    "handler": gettext_lazy("handler"),
    "message": gettext_lazy("message"),
    "error": gettext_lazy("error"),
}
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_MAX_VALUE: Final = 20_000


@register.filter
def status(value: object) -> SafeString:
    """Return a status as a badge with its colour, sign and word."""
    tone, sign, word = _SIGNS.get(str(value), ("", "·", str(value)))
    return format_html('<span class="badge {}"><span aria-hidden="true">{}</span>{}</span>', tone, sign, word)


@register.filter
def status_word(value: object) -> str:
    """Return a status as a word alone."""
    return str(_SIGNS.get(str(value), ("", "", value))[2])


@register.filter
def unlocalized(value: float) -> str:
    """Return a number for SVG: with a point, whatever the language."""
    return f"{value:g}"


@register.filter
def milliseconds(value: int) -> str:
    """Return a number of milliseconds as a span of time."""
    return span(timedelta(milliseconds=value))


@register.filter
def instant(value: datetime | None) -> SafeString | str:
    """Return a time with its seconds, in the zone of the page; the exact one in UTC as title."""
    if value is None:
        return "–"
    shown = timezone.localtime(value).strftime("%Y-%m-%d %H:%M:%S")
    exact = value.isoformat(timespec="milliseconds")
    return format_html('<time datetime="{}" title="{}" class="nowrap">{}</time>', exact, exact, shown)


@register.filter
def precise(value: datetime) -> SafeString:
    """Return a time with its milliseconds, in the zone of the page."""
    shown = timezone.localtime(value).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    return format_html('<time datetime="{}" class="nowrap">{}</time>', value.isoformat(), shown)


@register.filter
def clock(value: datetime) -> str:
    """Return hour and minute in the zone of the page."""
    return timezone.localtime(value).strftime("%H:%M")


@register.simple_tag
def between(start: datetime | None, end: datetime | None, now: datetime | None = None) -> str:
    """Return how long it took, or takes up to now."""
    until = end or now or timezone.now()
    return "–" if start is None else span(until - start)


@register.filter
def ago(value: datetime | None) -> str:
    """Return how long ago something was, or in how long it will be."""
    if value is None:
        return "–"
    passed = timezone.now() - value
    if passed < timedelta():
        return gettext("in %(span)s") % {"span": span(-passed)}
    return gettext("%(span)s ago") % {"span": span(passed)}


@register.filter
def seconds(value: float) -> str:
    """Return a number of seconds as a span of time."""
    return span(timedelta(seconds=value))


def span(value: timedelta) -> str:
    """Return a span of time by its two largest units."""
    total = value.total_seconds()
    if total < 1:
        return gettext("%(number)d ms") % {"number": max(total, 0) * 1_000}
    if total < 10:
        return gettext("%(number).1f s") % {"number": total}
    if total < _MINUTE:
        return gettext("%(number)d s") % {"number": total}
    if total < _HOUR:
        return gettext("%(minutes)d min %(seconds)d s") % {"minutes": total // 60, "seconds": total % 60}
    if total < _DAY:
        return gettext("%(hours)d h %(minutes)d min") % {
            "hours": total // _HOUR,
            "minutes": total % _HOUR // 60,
        }
    days, hours = int(total // _DAY), int(total % _DAY // _HOUR)
    return ngettext("%(days)d day %(hours)d h", "%(days)d days %(hours)d h", days) % {
        "days": days,
        "hours": hours,
    }


@register.filter
def count(value: Bounded | int) -> str:
    """Return a number with thousands apart; a bounded one that has reached its bound with a plus."""
    if isinstance(value, Bounded):
        return f"{value.count:,}" + ("+" if value.more else "")
    return f"{value:,}"


@register.filter
def table_word(name: str) -> str:
    """Return the heading of one kind of rows."""
    return str(_TABLES.get(name, name))


@register.filter
def row_words(row: dict[str, Any]) -> str:
    """Return what a replayed row says besides its place and status, in short."""
    shown = [(word, row.get(name)) for name, word in _TOLD.items()]
    return " · ".join(f"{word} {_said(value)}" for word, value in shown if value not in (None, "", [], ()))


def _said(value: Any) -> str:
    if isinstance(value, datetime):
        return timezone.localtime(value).strftime("%Y-%m-%d %H:%M:%S")
    return str(value)


@register.filter
def json_value(value: Any) -> str:
    """Return a value as JSON, every digit kept; what is very long is cut."""
    text = to_text(value)
    return text if len(text) <= _MAX_VALUE else text[:_MAX_VALUE] + " …"


@register.filter
def short_id(value: object) -> str:
    """Return the end of an id, by which ids of one moment differ most."""
    return f"…{str(value)[-12:]}"


@register.simple_tag
def node_label(nodes: dict[str, Any], node_id: str | None) -> str:
    """Return a node's name, its id where it has none."""
    node = nodes.get(node_id or "")
    return (node.name if node is not None else "") or node_id or "–"
