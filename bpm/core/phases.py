"""Where in its node's life a Ready token stands, apart from its status (semantics §2)."""

from __future__ import annotations

from typing import Final

AFTER: Final = "after"
"""The node has done its work: only the way out is left."""
