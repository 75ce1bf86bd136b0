"""Writing the same object once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def once_per_object(write: Callable[[T], str]) -> Callable[[T], str]:
    """Return a function that writes an object only if it is another one than the last.

    For times: all those of one command, and mostly those of a batch, are one object.
    """
    newest: tuple[object, str] = (None, "")

    def written(value: T) -> str:
        nonlocal newest
        known = newest
        if known[0] is not value:
            newest = known = (value, write(value))
        return known[1]

    return written
