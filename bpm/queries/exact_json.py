"""JSON text with exact numbers, as variables are stored and shown (semantics §9)."""

from __future__ import annotations

from bpm.core.values import from_outside, to_text

__all__ = ["from_outside", "to_text"]
