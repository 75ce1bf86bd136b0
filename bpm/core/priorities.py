"""Priorities of work: of external tasks, jobs and timers (semantics §5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bpm.core.expressions import Expression
from bpm.core.failure import NodeFailed

if TYPE_CHECKING:
    from bpm.core.stage import Place, Stage

DEFAULT_PRIORITY: Final = 0
HIGHEST_PRIORITY: Final = 2**63 - 1
"""As far as a whole number of the database goes, in both directions."""


def evaluate_priority(stage: Stage, expression: Expression | None, place: Place) -> int:
    """Return the priority that is declared for a node, 0 where none is.

    Raises:
        NodeFailed: `ExpressionFailed`; it cannot be evaluated, or is no whole number of 64 bits.
    """
    return DEFAULT_PRIORITY if expression is None else whole_priority(stage.evaluate(expression, place))


def whole_priority(value: Any) -> int:
    """Return a value as a priority. Raises: NodeFailed (`ExpressionFailed`) where it is no whole number of 64 bits."""
    try:
        found = int(str(value))
    except ValueError:
        found = None
    if found is None or not -HIGHEST_PRIORITY <= found <= HIGHEST_PRIORITY:
        raise NodeFailed(
            "ExpressionFailed", f"The priority {str(value)[:100]!r} is no whole number of 64 bits."
        )
    return found
