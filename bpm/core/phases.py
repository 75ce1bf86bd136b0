"""Where in its node's life a Ready token stands, apart from its status (semantics §2)."""

from __future__ import annotations

from typing import Final

AFTER: Final = "after"
"""The node has done its work: only the way out is left."""

RESETTING: Final = "resetting"
"""Likewise, at a complex gateway that resets."""

CONTINUED: Final = "continued"
"""Likewise, and the job behind the work is done: its end listeners have been told."""

RESET_CONTINUED: Final = "resetBehind"
"""Likewise, at a complex gateway that resets."""

CAUGHT: Final = "caught"
"""Likewise: its event came while it was waited for elsewhere, so what it maps has not been mapped yet."""

OPENING: Final = "opening"
"""The first token of a process or event subprocess, before the start listeners of that have been told."""
OPENING_CAUGHT: Final = "openCaught"
"""Likewise, at an event that has come: `CAUGHT` is next."""
ARMING: Final = "arming"
"""As `OPENING`, and what starts event subprocesses of the scope could not be armed: that is tried again first."""
ARMING_CAUGHT: Final = "armingCaught"
"""Likewise, at an event that has come."""
UNARMED: Final = frozenset({ARMING, ARMING_CAUGHT})
OPENINGS: Final = frozenset({OPENING, OPENING_CAUGHT, *UNARMED})

ARRIVED: Final = frozenset({CAUGHT, OPENING_CAUGHT, ARMING_CAUGHT})
"""The event has come while it was waited for elsewhere."""

BEHIND: Final = frozenset({CONTINUED, RESET_CONTINUED})
"""The job behind the work is done."""
RESETS: Final = frozenset({RESETTING, RESET_CONTINUED})
"""A complex gateway resets."""
LEAVING: Final = frozenset({AFTER, *ARRIVED, RESETTING, *BEHIND})

GATHERED: Final = "gathered"
"""All tokens with which the activity starts have come."""

BEGUN: Final = "begun"
"""The activity's own scope is prepared: mappings are done, boundary events armed. Only its work is tried again."""
