"""What a worker asks of a topic beyond its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bpm.worker.exact_json import JsonValue


@dataclass(frozen=True, slots=True)
class FetchTopic:
    """One topic of a fetch. Values of one limit are alternatives, limits add up; an empty one does not limit.

    Attributes:
        lock_duration_ms: Length of its leases; None takes that of the fetch.
        process_def_ids: Keys of processes, at most 100, as in all limits.
        definition_ids: Versions of processes.
        version_tags: Tags of versions.
        instance_ids: Process instances.
        business_keys: Of process instances.
        process_variables: Name and value of process variables, all of which must be so.
        variables: Names of the variables that come with a task; None takes all, an empty one none.
    """

    task_type: str
    lock_duration_ms: int | None = None
    process_def_ids: Sequence[str] = ()
    definition_ids: Sequence[str] = ()
    version_tags: Sequence[str] = ()
    instance_ids: Sequence[str] = ()
    business_keys: Sequence[str] = ()
    process_variables: Mapping[str, JsonValue] = field(default_factory=dict)
    variables: Sequence[str] | None = None

    def body(self) -> dict[str, object]:
        """Return it as the engine's API takes it."""
        limits = {
            "process_def_ids": list(self.process_def_ids),
            "definition_ids": list(self.definition_ids),
            "version_tags": list(self.version_tags),
            "instance_ids": list(self.instance_ids),
            "business_keys": list(self.business_keys),
            "process_variables": dict(self.process_variables),
        }
        found: dict[str, object] = {"task_type": self.task_type}
        found |= {name: limit for name, limit in limits.items() if limit}
        if self.lock_duration_ms is not None:
            found["lock_duration_ms"] = self.lock_duration_ms
        if self.variables is not None:
            found["variables"] = list(self.variables)
        return found


def topics_body(topics: Sequence[str | FetchTopic]) -> dict[str, object]:
    """Return the members of a fetch's body that name its topics."""
    bodies = [FetchTopic(topic).body() if isinstance(topic, str) else topic.body() for topic in topics]
    names = [body["task_type"] for body in bodies if len(body) == 1]
    others = [body for body in bodies if len(body) > 1]
    return ({"task_types": names} if names else {}) | ({"topics": others} if others else {})
