"""Several reads that see one state of the database."""

from __future__ import annotations

from bpm.shell.snapshot import STATEMENTS, one_snapshot

__all__ = ["STATEMENTS", "one_snapshot"]
