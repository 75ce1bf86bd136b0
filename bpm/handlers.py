"""In-process handlers: Python functions that do the work of service and script tasks (semantics §5).

    from bpm import handlers

    @handlers.service("pay")
    def pay(work: handlers.Work) -> dict[str, object]:
        return {"status": "PAID", "amount": work.variables["amount"]}

A handler runs outside any transaction, at least once, under a lease of its job; it must be idempotent. What it returns
become variables. Raise `BpmnError` to end the task by a BPMN error, anything else to fail the attempt. The module
`bpm_handlers` of each installed app is imported at start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Handler = Callable[["Work"], Mapping[str, Any] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a handler is given.

    Attributes:
        attempt: 1 for the first.
        variables: as seen from the token, JSON values.
        script: text of a script task, empty for a service task.
    """

    instance_id: str
    token_id: str
    job_id: str
    node_id: str
    process_def_id: str
    business_key: str | None
    tenant: str
    attempt: int
    variables: Mapping[str, Any] = field(default_factory=dict)
    script: str = ""


class BpmnError(Exception):
    """Ends the task by a BPMN error with this code."""

    def __init__(self, code: str, message: str = "", variables: Mapping[str, Any] | None = None) -> None:
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code
        self.message = message
        self.variables = dict(variables or {})


_registered: dict[tuple[str, str], Handler] = {}


def service(name: str) -> Callable[[Handler], Handler]:
    """Register a handler for service tasks whose class, delegate expression, type or topic is `name`."""
    return _register("service", name)


def script(language: str) -> Callable[[Handler], Handler]:
    """Register a handler for script tasks of this format (lower case; empty: none declared)."""
    return _register("script", language.lower())


def _register(kind: str, name: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        _registered[kind, name] = handler
        return handler

    return register


def unregister(kind: str, name: str) -> None:
    """Forget a handler; nothing happens where there is none."""
    _registered.pop((kind, name), None)


def has_handler(kind: str, name: str) -> bool:
    """Return whether a handler is registered."""
    return (kind, name) in _registered


def script_formats() -> frozenset[str]:
    """Return the script formats that have a handler."""
    return frozenset(name for kind, name in _registered if kind == "script")


def names() -> list[str]:
    """Return all registered handlers as jobs name them (`service:pay`), sorted."""
    return sorted(f"{kind}:{name}" for kind, name in _registered)


def find(handler: str) -> Handler | None:
    """Return the handler of a job's text (`service:pay`)."""
    kind, _, name = handler.partition(":")
    return _registered.get((kind, name))
