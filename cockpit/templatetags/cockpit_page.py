"""Tags of the common layout."""

from __future__ import annotations

from django import template
from django.template.context import Context
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from bpm.access.caller import present_caller
from bpm.access.permissions import Permission

register = template.Library()


@register.simple_tag(takes_context=True)
def here(context: Context, url: str, exact: bool = False) -> SafeString:
    """Return `aria-current` for the link of the place that the page is in, else nothing."""
    request = context.get("request")
    if request is None:
        return mark_safe("")
    at = request.path == url if exact else request.path.startswith(url)
    return mark_safe(' aria-current="page"' if at else "")  # noqa: S308 - constants


@register.simple_tag
def current_zone() -> str:
    """Return the name of the time zone in which times are shown."""
    return timezone.get_current_timezone_name()


@register.simple_tag
def sees_cockpit() -> bool:
    """Return whether the pages of operators are for the present user."""
    caller = present_caller()
    return caller is not None and caller.may(Permission.VIEW)
