"""Settings of the engine, read from Django's `BPM` setting with defaults, so that any project can host it."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

DEFAULTS: dict[str, Any] = {
    "TIME_ZONE": "UTC",
    "MAX_VARIABLE_BYTES": 4_000_000,
    "IDEMPOTENCY_HOURS": 24,
    "RETENTION_ROLE": "",
    "RETENTION_DAYS": 0,
    "RETENTION_FOLDER": "",
    "MAX_CALL_DEPTH": 1_000,
    "MAX_ROWS_AT_ONCE": 50_000,
    "KEPT_ROWS": 5_000,
    "REMEMBERED_DECISIONS": 1_000,
    "THROWN_MESSAGE_TTL_S": 3_600,
    "EXPLORE_STATES": 2_000,
    "EXPLORE_MS": 300,
    "REQUESTS_PER_MINUTE": 0,
    "OPEN_POLLS": 0,
    "RUNNING_INSTANCES": 0,
}


def setting(name: str) -> Any:
    """Return one engine setting."""
    return getattr(settings, "BPM", {}).get(name, DEFAULTS.get(name))


def engine_zone() -> ZoneInfo:
    """Return the zone for texts without one (semantics §6).

    Raises:
        ImproperlyConfigured: the project that hosts the engine names a zone that the machine does not know.
    """
    name = setting("TIME_ZONE") or "UTC"
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ImproperlyConfigured(
            f'BPM["TIME_ZONE"]={name!r}: expected an IANA zone name such as Europe/Berlin.'
        ) from None
