"""Comparing what the history says with what the tables hold (semantics §10)."""

from __future__ import annotations

from bpm.shell.verifying.findings import MAX_FINDINGS, Finding, Verified
from bpm.shell.verifying.instances import changed_since, verify_each, verify_instances
from bpm.shell.verifying.strays import find_strays

__all__ = [
    "MAX_FINDINGS",
    "Finding",
    "Verified",
    "changed_since",
    "find_strays",
    "verify_each",
    "verify_instances",
]
