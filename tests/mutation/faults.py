"""All deliberate faults, by the run that makes them."""

from __future__ import annotations

from typing import Final

from tests.mutation.core_faults import CORE
from tests.mutation.fault import Fault
from tests.mutation.remembering_faults import REMEMBERING
from tests.mutation.shell_faults import SHELL

FAULTS: Final[dict[str, tuple[Fault, ...]]] = {"core": CORE, "shell": SHELL, "remembering": REMEMBERING}

__all__ = ["FAULTS", "Fault"]
