"""What data associations copy, and whether an activity has the data it needs (semantics §9).

A source that is not set copies nothing: its target is left alone. Data outputs are looked for in the activity's own
scope only, which each pass opens anew, so that no value of an earlier pass is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from bpm.core.failure import NodeFailed
from bpm.core.graph import Activity
from bpm.core.mappings import DataName, DataSource
from bpm.core.values import from_text

if TYPE_CHECKING:
    from bpm.core.expressions import Expression
    from bpm.core.ids import Id
    from bpm.core.stage import Stage

UNSET: Final = object()
"""There is nothing to copy."""

Seek = Callable[[DataName], Any]
Evaluate = Callable[["Expression", Mapping[str, Any]], Any]


def data_value(source: DataSource, seek: Seek, evaluate: Evaluate) -> Any:
    """Return what an association copies, `UNSET` where a source is not set.

    Args:
        seek: returns the value of a data element, or `UNSET`.
        evaluate: of an expression, with names that stand before all variables.

    Raises:
        NodeFailed: the expression cannot be evaluated.
    """
    found = [seek(one) for one in source.sources]
    if source.optional:
        found = [None if value is UNSET else value for value in found]
    if any(value is UNSET for value in found):
        return UNSET
    if source.expression is None:
        return found[0]
    seen = {alias: seek(one) for alias, one in source.aliases}
    return evaluate(source.expression, {name: value for name, value in seen.items() if value is not UNSET})


def seek_in(stage: Stage, scope: Id, name: DataName) -> Any:
    """Return the value of a data element as seen from a scope, `UNSET` where it is not set.

    Raises:
        Missing: it may be stored but was not loaded.
    """
    for one in name.names:
        if name.own:
            row = stage.state.variable(scope, one)
        else:
            rows = (stage.state.variable(around.id, one) for around in stage.state.chain(scope))
            row = next((found for found in rows if found is not None), None)
        if row is not None:
            return from_text(row.value)
    return UNSET


def require_inputs(stage: Stage, node: Activity, scope: Id) -> None:
    """Refuse to begin an activity none of whose input sets is filled.

    Raises:
        NodeFailed: `DataInputMissing`; a retry looks again.
    """
    if not node.input_sets:
        return
    missing = [
        sorted(name for name in wanted if stage.state.variable(scope, name) is None)
        for wanted in node.input_sets
    ]
    if all(missing):
        names = " or ".join(", ".join(one) for one in missing)
        raise NodeFailed("DataInputMissing", f"{node.id} needs data that is not there: {names}.")
