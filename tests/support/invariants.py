"""What must hold of an instance at rest and of its history; the rules over the state are the engine's own."""

from __future__ import annotations

from collections.abc import Sequence

from bpm.core import invariants
from bpm.core.state import State
from tests.support.folding import Recorded
from tests.support.history_rules import history_violations


def violations(state: State, history: Sequence[Recorded]) -> list[str]:
    """Return what is broken; the state holds the whole instance and no command is under way."""
    found = [f"{rule}: {text}" for rule, text in invariants.violations(state)]
    return found + list(history_violations(state, history))
