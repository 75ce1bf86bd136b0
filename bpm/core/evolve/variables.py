"""What events about variables change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from bpm.core import events as e
from bpm.core.rows import Variable
from bpm.core.state import State
from bpm.core.values import Erased, to_text


def _set(state: State, event: e.VariableSet, at: datetime) -> None:
    value = event.value if type(event.value) is Erased else to_text(event.value)
    row = Variable(event.scope, event.name, value)
    state.put(state.variables, (event.scope, event.name), row)


def _removed(state: State, event: e.VariableRemoved, at: datetime) -> None:
    state.put(state.variables, (event.scope, event.name), None)


APPLY: dict[type[e.Event], Callable[[State, Any, datetime], None]] = {
    e.VariableSet: _set,
    e.VariableRemoved: _removed,
}
