"""What the parts of the core host ask of it: who is there, and carrying out what they have decided."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from bpm.core.commands import Command
from bpm.core.decide import Decision
from bpm.core.ids import Id
from bpm.core.state import State
from bpm.shell.starts import Start
from tests.support.clock import Clock
from tests.support.core_definitions import Definitions


class Parts(Protocol):
    """The core host as its parts see it."""

    clock: Clock
    definitions: Definitions

    def instances(self) -> list[Id]:
        """Return all instances, ended ones too, in order of creation."""
        ...

    def state(self, instance: Id) -> State:
        """Return an instance; raises KeyError."""
        ...

    def carry_out(self, instance: Id, command: Command) -> Decision:
        """Decide a command, and deliver what it sends unless a delivery is under way. Raises Refused."""
        ...

    def begin(self, start: Start) -> Id:
        """Start an instance, likewise. Raises Refused."""
        ...

    def together(self) -> AbstractContextManager[None]:
        """Hold deliveries back until the block ends, as if what is in it were one transaction."""
        ...

    def check_all(self) -> None:
        """Check the invariants of every instance."""
        ...
