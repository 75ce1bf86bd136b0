"""Payloads of earlier releases, brought to the shape of this one, one version after the other.

Adding a field with a default needs none of this. Where a field changes its meaning, the event class gets the next
`shape_version`, and the way from the version before is one function here: from stored values to stored values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

VERSION_KEY: Final = "$shape"
"""Key of a payload that says its version; one without is of version 1. No field of an event begins so."""

Values = dict[str, Any]
Lifts = Mapping[tuple[str, int], Callable[[Values], Values]]

LIFTS: Final[Lifts] = {}
"""(event type, version) to the function that makes the next version of it."""


class ShapeUnknown(ValueError):
    """The event is of a shape that this release cannot read."""


def lift(event_type: str, values: Values, wanted: int, lifts: Lifts = LIFTS) -> Values:
    """Return the values in the wanted version.

    Raises:
        ShapeUnknown: they are of a later version, or no function leads on from theirs.
    """
    version = values.pop(VERSION_KEY, 1)
    while version != wanted:
        step = lifts.get((event_type, version)) if version < wanted else None
        if step is None:
            raise ShapeUnknown(f"{event_type} in version {version} cannot be read as version {wanted}")
        values = step(values)
        version += 1
    return values
