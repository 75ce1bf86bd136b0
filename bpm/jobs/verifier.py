"""The background verification: a thread beside the ticker that works a small share of the time."""

from __future__ import annotations

import logging
import random
import threading
import time

from django.db import close_old_connections, connections

from bpm.jobs.limits import verify_share_percent
from bpm.shell.verification_sweep import verify_some

FIRST_PAUSE_S = 5.0
SHORTEST_PAUSE_S = 2.0
ROUND_PAUSE_S = 20.0
"""Pause after a round, and while another process verifies."""
ERROR_PAUSE_S = 60.0

_log = logging.getLogger(__name__)


class Verifier:
    """Verifies part after part until it is stopped; no exception ends it.

    Args:
        name: who holds the place in the round.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="bpm-verifier", daemon=True)

    def start(self) -> None:
        """Begin, unless the setting says that no time is to be spent."""
        if verify_share_percent() > 0:
            self._thread.start()

    def stop(self, wait_s: float = 5.0) -> None:
        """End after the part that it is at; wait so long for that."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(wait_s)

    def _run(self) -> None:
        pause_s = FIRST_PAUSE_S
        while not self._stopping.wait(pause_s * random.uniform(0.8, 1.2)):  # noqa: S311 - spreads load
            pause_s = self._part()
        connections.close_all()

    def _part(self) -> float:
        """Verify a part and return the seconds until the next."""
        began = time.monotonic()
        close_old_connections()
        try:
            swept = verify_some(self.name)
        except Exception:  # noqa: BLE001 - the loop outlives every error
            _log.exception("the verification goes on after an error")
            close_old_connections()
            return ERROR_PAUSE_S
        if swept is None or swept.round_over:
            return ROUND_PAUSE_S
        share = verify_share_percent() / 100
        return max(
            SHORTEST_PAUSE_S if not swept.verified else 0.1, (time.monotonic() - began) * (1 / share - 1)
        )
