"""`evolve(state, event)`: the only code that changes a state, in live execution and in replay (semantics §10).

Payloads hold all that is needed: nothing is computed from clock, chance or the model. Each event class has exactly
one function, in the file of its category.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from bpm.core.events import Event
from bpm.core.evolve import (
    calls,
    compensations,
    incidents,
    instances,
    joins,
    migration,
    scopes,
    subscriptions,
    tasks,
    timers,
    tokens,
    variables,
)
from bpm.core.state import State

Apply = Callable[[State, Any, datetime], None]

APPLY: Final[Mapping[type[Event], Apply]] = {
    **instances.APPLY,
    **scopes.APPLY,
    **calls.APPLY,
    **tokens.APPLY,
    **joins.APPLY,
    **variables.APPLY,
    **tasks.APPLY,
    **timers.APPLY,
    **subscriptions.APPLY,
    **incidents.APPLY,
    **migration.APPLY,
    **compensations.APPLY,
}
"""Event class to the function that applies it."""


def evolve(state: State, event: Event, at: datetime) -> State:
    """Apply one event to the state, which is changed in place and returned.

    Args:
        at: when it happened (aware, UTC); becomes the time columns of the rows it touches.

    Raises:
        InvariantViolated: the event cannot follow this state.
    """
    instance = state.instance
    instance.sequence += 1
    instance.updated_at = at
    APPLY[type(event)](state, event, at)
    return state
