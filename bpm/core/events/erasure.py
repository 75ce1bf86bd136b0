"""Events about the erasure of personal data (semantics §10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bpm.core.events.event import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalDataErased(Event):
    """Values and free text of events before this one are gone; their digests and hashes stay.

    Attributes:
        erased: for each such event its `sequence` and `type`, what is `kept` of its payload, and whether the value was
            the `current` one: then it is gone from its row, too.
    """

    erased: tuple[Mapping[str, Any], ...]
    reason: str = ""
