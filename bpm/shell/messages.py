"""A message on its way to whoever waits for it (semantics §7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bpm.core.ids import Id
from bpm.core.values import from_text, to_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What is sent, and for whom.

    Attributes:
        name: None matches a message of any name, where something else says who is meant.
        keys: names and values; each must be a process variable, or the correlation key, of who waits.
        local_keys: likewise, but variables of exactly the scope in which it is waited for.
        key: canonical JSON of a correlation key without name, `null` for none.
        start_only: it only starts instances.
        definition: id or key of the process that it starts.
    """

    name: str | None
    tenant: str = ""
    business_key: str | None = None
    instance: Id | None = None
    keys: Mapping[str, Any] = field(default_factory=dict)
    local_keys: Mapping[str, Any] = field(default_factory=dict)
    key: str = "null"
    variables: Mapping[str, Any] = field(default_factory=dict)
    start_only: bool = False
    definition: str | None = None
    actor: str = ""

    @property
    def starts(self) -> bool:
        """Whether it may start an instance: nothing in it names one that is there."""
        return self.name is not None and self.instance is None and not (self.keys or self.local_keys)

    def correlation_text(self) -> str:
        """Return who is meant, as JSON for the buffer."""
        values = {
            "business_key": self.business_key,
            "instance": self.instance,
            "keys": dict(self.keys),
            "local_keys": dict(self.local_keys),
            "key": self.key,
            "actor": self.actor,
        }
        return to_text(values)

    @classmethod
    def of(cls, tenant: str, name: str, correlation: str, variables: str) -> Message:
        """Return a message as it was buffered."""
        values: dict[str, Any] = from_text(correlation)
        return cls(tenant=tenant, name=name, variables=from_text(variables), **values)
