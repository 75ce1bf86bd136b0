"""Deciding a command without writing what it does."""

from __future__ import annotations

from typing import Any

from bpm.core.errors import EngineError
from bpm.core.state import State
from bpm.shell.batch import Batch
from bpm.shell.outcome import Done
from bpm.shell.requests import Request
from bpm.shell.sql import dialect


def preview(request: Request) -> tuple[Done, State]:
    """Return what a command on a whole instance would do, and how the instance would stand. Statements: 1.

    Raises: whatever refuses the command.
    """
    batch = Batch([request], dialect())
    batch.read()
    batch.decide()
    (outcome,) = batch.outcomes
    if not isinstance(outcome, Done):
        assert isinstance(outcome, EngineError), "a command is decided or refused"
        raise outcome
    (work,) = batch.works.values()
    return outcome, work.state


def tokens_told(state: State) -> list[dict[str, Any]]:
    """Return the live tokens of a state in order of creation."""
    live = sorted((token for token in state.tokens.values() if not token.final), key=lambda token: token.id)
    return [
        {
            "token_id": token.id,
            "node_id": token.node,
            "scope_id": token.scope,
            "status": token.status.value,
            "wait": str(token.wait),
        }
        for token in live
    ]
