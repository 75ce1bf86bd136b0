"""All deliberate faults."""

from __future__ import annotations

from typing import Final

from tests.mutation.core_faults import CORE
from tests.mutation.fault import Fault
from tests.mutation.shell_faults import SHELL

FAULTS: Final[tuple[Fault, ...]] = (*CORE, *SHELL)

__all__ = ["FAULTS", "Fault"]
