"""One log line per command: at DEBUG what was done, at INFO what was refused, at ERROR what broke."""

from __future__ import annotations

import logging

import structlog

from bpm import engine

_log = structlog.get_logger("bpm.commands")
_levels = logging.getLogger("bpm.commands")


def log_commands(execution: engine.Execution) -> None:
    """Log the commands of one execution, with the instance and how long it took."""
    if not _levels.isEnabledFor(logging.INFO):
        return
    verbose = _levels.isEnabledFor(logging.DEBUG)
    for one in execution.commands:
        if one.outcome != "done" or verbose:
            getattr(_log, _level(one))(
                "command",
                command=one.command,
                outcome=one.outcome,
                instance=one.instance_id,
                token=one.token_id,
                status=one.status,
                ms=round(execution.seconds * 1_000, 1),
                statements=execution.statements,
            )


def _level(one: engine.Observed) -> str:
    if one.outcome == "done":
        return "debug"
    return "info" if one.refused else "error"
