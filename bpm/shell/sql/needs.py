"""What a run may read besides the rows that its command names."""

from __future__ import annotations

from typing import Any


class Needs:
    """What a run may read besides its own rows: variables and joins, for several instances at once.

    Attributes:
        variables: [instance, scope, name or None for all].
        joins: [instance, scope, node, group, number of flows, flows].
    """

    __slots__ = ("joins", "variables")

    def __init__(self) -> None:
        self.variables: list[list[Any]] = []
        self.joins: list[list[Any]] = []

    def __bool__(self) -> bool:
        return bool(self.variables or self.joins)
