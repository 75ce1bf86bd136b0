"""Parts of pages that ask for themselves again while something runs."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

EVERY: Final = "3s"


def live_attributes(request: HttpRequest, every: str = EVERY) -> SafeString:
    """Return the attributes that make an element refresh from the page's own address, keeping focus and places."""
    return format_html(
        'data-poll hx-get="{}" hx-trigger="every {}" hx-swap="morph:outerHTML"',
        request.get_full_path(),
        every,
    )
