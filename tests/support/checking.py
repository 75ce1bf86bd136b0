"""What every host checks after every command, on what is stored."""

from __future__ import annotations

from collections.abc import Sequence

from bpm.core.state import State
from tests.support.folding import Recorded, differences, fold
from tests.support.invariants import violations


def require_nothing(what: str, found: Sequence[str]) -> None:
    """Fail with the list unless it is empty."""
    if found:
        raise AssertionError("\n  ".join([what, *found]))


def check_instance(state: State, history: Sequence[Recorded]) -> None:
    """Fail unless folding the history gives the state, and all invariants hold."""
    folded = fold(state.instance.id, history)
    require_nothing("the folded history differs from the state", differences(state, folded))
    require_nothing("an invariant is broken", violations(state, history))
