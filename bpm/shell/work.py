"""What a batch does to one instance."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from bpm.core import events as e
from bpm.core.between import Broadcast, Outgoing
from bpm.core.state import State
from bpm.shell.held import Held
from bpm.shell.remembering.rehearsal import Lesson
from bpm.shell.remembering.remembered import Recalled
from bpm.shell.requests import Request


@dataclass(slots=True)
class Work:
    """Commands on one instance, and what they do.

    Attributes:
        held: the instance's working set; once it is opened, that is the one that is changed.
        sent: what goes to other instances.
        recalled: what a remembered decision does; then there are no events, and `held` is what comes of it, unless
            the instance has ended.
        lesson: what is to be learned from what was decided.
    """

    held: Held
    requests: list[tuple[int, Request]] = field(default_factory=list)
    events: list[tuple[e.Event, str]] = field(default_factory=list)
    sent: list[Outgoing | Broadcast] = field(default_factory=list)
    new: bool = False
    number: int = 0
    recalled: Recalled | None = None
    lesson: Lesson | None = None

    @property
    def state(self) -> State:
        """The working set."""
        if not isinstance(self.held, State):
            self.held = self.held.open()
        return self.held

    @property
    def whole(self) -> bool:
        """Whether all that is live of the instance is here."""
        return not isinstance(self.held, State) or self.held.everything

    @property
    def updated_at(self) -> datetime | None:
        """When the newest event happened."""
        return self.held.instance.updated_at if isinstance(self.held, State) else self.held.updated_at

    @property
    def next_id(self) -> int:
        """Where the ids that a command makes begin to be counted; a new instance has the first for itself."""
        if self.new:
            return 1
        return (self.held.instance if isinstance(self.held, State) else self.held).sequence + 1

    @property
    def kinds(self) -> set[type[e.Event]]:
        """The classes of its events."""
        return {type(event) for event, _ in self.events}
