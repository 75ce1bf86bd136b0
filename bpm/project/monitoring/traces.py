"""Spans of OpenTelemetry around what the engine executes, where that is installed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from bpm import engine


def span_maker() -> Callable[[engine.Execution], None] | None:
    """Return an observer that records a span per execution; None where `opentelemetry` is not installed.

    The program's own set-up says where spans go; without any, OpenTelemetry drops them.
    """
    try:
        from opentelemetry import trace
        from opentelemetry.trace import Status, StatusCode
    except ImportError:
        return None
    tracer = trace.get_tracer("bpm")

    def record(execution: engine.Execution) -> None:
        names = {one.command for one in execution.commands}
        end_ns = time.time_ns()
        span = tracer.start_span(
            names.pop() if len(names) == 1 else "mixed",
            start_time=end_ns - int(execution.seconds * 1e9),
            attributes=_attributes(execution),
        )
        broken = [one.outcome for one in execution.commands if one.outcome != "done" and not one.refused]
        if broken:
            span.set_status(Status(StatusCode.ERROR, broken[0]))
        span.end(end_ns)

    return record


def _attributes(execution: engine.Execution) -> dict[str, Any]:
    attributes: dict[str, Any] = {
        "bpm.commands": len(execution.commands),
        "bpm.batch": execution.batch,
        "bpm.statements": execution.statements,
    }
    if len(execution.commands) == 1:
        (one,) = execution.commands
        attributes["bpm.outcome"] = one.outcome
        if one.instance_id:
            attributes["bpm.instance"] = one.instance_id
        if one.token_id:
            attributes["bpm.token"] = one.token_id
    return attributes
