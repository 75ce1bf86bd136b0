"""What reading can refuse, for callers that reach the engine through `bpm.queries` alone."""

from __future__ import annotations

from bpm.core.errors import Invalid, NotFound
from bpm.queries.page import CursorInvalid

__all__ = ["CursorInvalid", "Invalid", "NotFound"]
