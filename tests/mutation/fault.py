"""What a deliberate fault is."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """A text in a function, what stands there instead, and tests: files below tests/, or parts of test ids."""

    name: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...]
