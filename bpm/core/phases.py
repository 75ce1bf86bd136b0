"""Where in its node's life a Ready token stands, apart from its status (semantics §2)."""

from __future__ import annotations

from typing import Final

AFTER: Final = "after"
"""The node has done its work: only the way out is left."""

RESETTING: Final = "resetting"
"""Likewise, at a complex gateway that resets."""

CONTINUED: Final = "continued"
"""Likewise, and the job behind the work is done: its end listeners have been told."""

LEAVING: Final = frozenset({AFTER, RESETTING, CONTINUED})

GATHERED: Final = "gathered"
"""All tokens with which the activity starts have come."""

BEGUN: Final = "begun"
"""The activity's own scope is prepared: mappings are done, boundary events armed. Only its work is tried again."""
