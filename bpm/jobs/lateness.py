"""How long the loops and the queue may give no sign of life; the one place for `/ready` and `cluster --watch`."""

from __future__ import annotations

from typing import Final

LOOP_LATE_S: Final = 3.5
"""A loop gives a sign of life each second; readers see `/ready` turn red within five."""
LOOP_STUCK_S: Final = 30.0
"""A cluster whose loops are silent for so long is started anew: longer than a start takes, or a database restarts."""
QUEUE_LATE_S: Final = 240.0
"""A task comes through the queue each minute, up to half a minute late; two may be missed."""
