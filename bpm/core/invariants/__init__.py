"""What must hold of an instance at rest, found by counting again and never from its counters (semantics §10)."""

from __future__ import annotations

from bpm.core.invariants.registry import Violation, violations

__all__ = ["Violation", "violations"]
