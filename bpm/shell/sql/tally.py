"""Number of statements that this thread's commands have executed."""

from __future__ import annotations

import threading


class _Tally(threading.local):
    statements = 0


tally = _Tally()
"""Counted up by the dialects; only differences mean anything."""
