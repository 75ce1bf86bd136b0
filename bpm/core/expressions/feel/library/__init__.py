"""The library of FEEL's functions, one module per kind of value."""

from __future__ import annotations

from bpm.core.expressions.feel.library import (
    aggregates,
    contexts,
    conversion,
    lists,
    moments,
    numeric,
    spans,
    text,
)
from bpm.core.expressions.feel.library.registry import BUILTINS

__all__ = [
    "BUILTINS",
    "aggregates",
    "contexts",
    "conversion",
    "lists",
    "moments",
    "numeric",
    "spans",
    "text",
]
