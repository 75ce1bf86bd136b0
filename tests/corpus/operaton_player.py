"""Playing one operaton scenario step by step; what it does not know is an error."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bpm.core import events as e
from bpm.core.errors import Refused
from tests.corpus.operaton_expectations import EXPECTATIONS
from tests.corpus.operaton_names import Names
from tests.corpus.operaton_operations import OPERATIONS
from tests.support.hosts import Host

KNOWN_FIELDS = frozenset(
    {
        *("op", "error", "resources", "contents", "hint", "key", "version", "business_key", "variables"),
        *("as", "nth", "user", "action", "worker", "max", "topics", "expect", "use_priority", "topic"),
        *("activity", "local_variables", "message", "retries", "retry_ms", "code", "lock_ms"),
        *("priority", "type", "iso_duration", "at", "instance", "task", "subscription", "local"),
        *("where", "count", "tasks", "ordered", "instances_with", "tree", "async", "leaves", "exact"),
        *("name", "scopes", "jobs", "activities", "correlation", "local_correlation", "all"),
        *("start_only", "started", "definition", "instructions", "changes", "names"),
        *("include_instances", "cascade", "of"),
    }
)

RECORDED_AT = datetime(2026, 11, 29, 16, 8, 24, tzinfo=UTC)
"""When the scenarios were recorded: some of them name absolute instants around it."""

_SAME_IN_HISTORY = (e.TokenCompleted, e.TokenTerminated)


class OperatonPlayer:
    """One scenario on one host.

    Args:
        folder: where the resources of the scenario lie.
    """

    def __init__(self, host: Host, folder: Path) -> None:
        self.host = host
        host.clock.now = RECORDED_AT
        self.names = Names(host)
        self._folder = folder

    def play(self, step: dict[str, Any]) -> None:
        """Play one step.

        Raises:
            Later: the step needs what the engine does not have yet.
            AssertionError: an expectation does not hold, or a step that must be refused was not.
        """
        name = step["op"]
        unknown = step.keys() - KNOWN_FIELDS
        if unknown:
            raise KeyError(f"{name} with {sorted(unknown)}")
        if "resources" in step:
            contents = [(self._folder / resource).read_bytes() for resource in step["resources"]]
            step = step | {"contents": contents}
        if step.get("error"):
            self._refused(step)
        else:
            (OPERATIONS.get(name) or EXPECTATIONS[name])(self.names, step)

    def _refused(self, step: dict[str, Any]) -> None:
        try:
            OPERATIONS[step["op"]](self.names, step)
        except (Refused, IndexError):
            # An index beyond the rows that are there: what the step names does not exist (any more).
            return
        raise NotRefused(f"{step['op']} was not refused")

    def accepted_with_incident(self, step: dict[str, Any]) -> bool:
        """Play a step that must be refused; return whether it left nothing but an incident where a token stands."""
        before = {instance: len(self.host.history(instance)) for instance in self.host.instances()}
        try:
            self.play(step)
        except NotRefused:
            new = [
                recorded.event
                for instance in self.host.instances()
                for recorded in self.host.history(instance)[before.get(instance, 0) :]
            ]
            opened = [event for event in new if isinstance(event, e.IncidentOpened)]
            failed = {event.node for event in new if isinstance(event, e.TokenFailed)}
            passed = {event.node for event in new if isinstance(event, _SAME_IN_HISTORY)}
            return bool(opened) and not failed & passed
        return False


class NotRefused(AssertionError):
    """A step that must be refused was carried out."""
