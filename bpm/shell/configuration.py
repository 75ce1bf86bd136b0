"""Settings of the engine, read from Django's `BPM` setting with defaults, so that any project can host it."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings

DEFAULTS: dict[str, Any] = {
    "TIME_ZONE": "UTC",
    "MAX_VARIABLE_BYTES": 4_000_000,
    "MAX_XML_BYTES": 10_000_000,
    "IDEMPOTENCY_HOURS": 24,
    "MAX_CALL_DEPTH": 1_000,
    "THROWN_MESSAGE_TTL_S": 3_600,
}


def setting(name: str) -> Any:
    """Return one engine setting."""
    return getattr(settings, "BPM", {}).get(name, DEFAULTS.get(name))


def engine_zone() -> ZoneInfo:
    """Return the zone for texts without one (semantics §6)."""
    return ZoneInfo(setting("TIME_ZONE") or "UTC")
