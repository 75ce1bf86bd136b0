"""The scopes around a row."""

from __future__ import annotations

from bpm.core.ids import Id
from bpm.core.rows import Scope
from bpm.shell.codec import states_from
from bpm.shell.sql import dialect


def scopes_around(task: Id) -> tuple[Id, list[Scope]]:
    """Return the instance of an open user task and the scopes around it, innermost first. Statements: 1."""
    _, rows = dialect().read_by("user_tasks", [task])
    ((instance, state),) = states_from(rows, everything=False).items()
    token = state.tokens[state.user_tasks[task].token]
    return instance, list(state.chain(token.scope))
