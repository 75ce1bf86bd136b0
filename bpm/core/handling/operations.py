"""The commands of operators, one line each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from bpm.core import operations as o
from bpm.core.commands import Command
from bpm.core.handling import suspending
from bpm.core.run import Run

OPERATIONS: Final[dict[type[Command], Callable[[Run, Any], dict[str, Any]]]] = {
    o.SuspendInstance: suspending.suspend,
    o.ActivateInstance: suspending.activate,
}
"""Command class to what it does; part of `HANDLERS`."""
