"""What a verification finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from bpm.core.ids import Id

MAX_FINDINGS: Final = 100
"""Findings that are kept of one instance; what is beyond says no more than these."""


class Finding(NamedTuple):
    """One thing that does not hold.

    Attributes:
        rule: the invariant's name (semantics §10), or that of a rule beside them (docs/reference/invariants).
        place: table, as attribute of `State`; `instance`, `history`, or another table's name.
        key: the row, or the event's sequence; empty for the instance.
        text: the evidence.
        sequence: the first event at which history and rows part, or that breaks the rule; None where none does.
    """

    rule: str
    place: str
    key: str
    text: str
    sequence: int | None = None

    @property
    def name(self) -> str:
        """What the finding is about, whatever the values are by now: by this a finding is recognised again."""
        about = self.key if self.place in ("history", "instance") or self.rule == ROWS_DIFFER else ""
        return f"{self.rule}:{self.place}:{about}"


ROWS_DIFFER: Final = "RowsDiffer"
CHAIN_BROKEN: Final = "ChainBroken"
NOT_FOLDABLE: Final = "NotFoldable"
ERASURE_WRONG: Final = "ErasureWrong"
COLUMN_WRONG: Final = "ColumnWrong"
STRAY_ROW: Final = "StrayRow"
NEIGHBOUR_MISSING: Final = "NeighbourMissing"


@dataclass(slots=True, kw_only=True)
class Verified:
    """The result for one instance.

    Attributes:
        events: how many were read.
        through: sequence of the newest event, -1 without any.
        head: the newest hash, as the history gives it.
        findings: what is wrong, at most 100.
    """

    instance: Id
    tenant: str = ""
    events: int = 0
    through: int = -1
    head: str = ""
    findings: list[Finding] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    def add(self, *found: Finding) -> None:
        """Keep findings, as long as there is room."""
        self.findings += found[: MAX_FINDINGS - len(self.findings)]
