"""Errors of the process itself: thrown at a node, caught outwards, else an incident (semantics §4)."""

from __future__ import annotations

from bpm.core.failure import NodeFailed
from bpm.core.run import Run
from bpm.core.token import Token


def fail_uncaught(run: Run, token: Token, code: str, message: str) -> None:
    """No handler catches the error: the token fails with its code. Emits TokenFailed, IncidentOpened."""
    text = f"The error {code!r} is caught nowhere" + (f": {message}" if message else ".")
    run.fail(token, NodeFailed("UncaughtError", text))
