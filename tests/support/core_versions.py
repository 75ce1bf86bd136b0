"""A version deployed on the core host, and a start that waits at it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bpm.core.graph import Graph
from bpm.core.ids import Id


@dataclass(eq=False, slots=True)
class Version:
    """A version of a process; `deployment` counts the calls of `deploy`."""

    key: str
    number: int
    tag: str
    deployment: int
    graph: Graph
    suspended: bool = False
    deleted: bool = False

    @property
    def id(self) -> Id:
        """Its id on this host: a key has no colon in it."""
        return f"{self.key}:{self.number}"


@dataclass(eq=False, slots=True)
class Armed:
    """A start that waits at a version. From `due_at` on: of a timer only."""

    id: Id
    version: Version
    kind: str
    name: str
    node: str
    due_at: datetime | None = None
    cycle: bool = False
    number: int = 0
    anchor: datetime | None = None
    expression: str = ""
    priority: int = 0

    @property
    def trigger(self) -> str:
        """What comes there, as `StartInstance.trigger` has it."""
        return f"{self.kind}:{self.name}"
