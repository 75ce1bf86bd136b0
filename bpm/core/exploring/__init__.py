"""Everything that can happen in a process, walked through in the pure core (docs/explanation/exploration.md)."""

from __future__ import annotations

from bpm.core.exploring.environment import EVERYTHING, PLAIN, Environment
from bpm.core.exploring.explore import Report, explore
from bpm.core.exploring.findings import RULES, Finding
from bpm.core.exploring.space import Bounds

__all__ = ["EVERYTHING", "PLAIN", "RULES", "Bounds", "Environment", "Finding", "Report", "explore"]
