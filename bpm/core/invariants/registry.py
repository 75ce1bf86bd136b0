"""All rules over a whole state, one line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from bpm.core.invariants import compensation, counters, joins, life, waiting
from bpm.core.state import State


class Violation(NamedTuple):
    """One thing that does not hold.

    Attributes:
        rule: name of the rule: an invariant of semantics §10 where it is one, else what was counted.
        text: what was found, with the node at which.
    """

    rule: str
    text: str


Rule = Callable[[State], Iterator[str]]

RULES: Final[tuple[tuple[str, Rule], ...]] = (
    ("InstanceCounters", counters.instance_counters),
    ("ScopeCounters", counters.scope_counters),
    ("OrphanToken", life.orphans),
    ("StrandedScope", life.stranded_scopes),
    ("InstanceStatus", life.status),
    ("JoinIncomplete", joins.open_joins),
    ("JoinArrivals", joins.arrivals),
    ("JoinFiredTwice", joins.generations),
    ("OuterTokens", waiting.scopes_and_outer_tokens),
    ("TokenRest", waiting.what_tokens_wait_for),
    ("ExternalTaskLeaseConflict", waiting.leases),
    ("RetriesNotMonotonic", waiting.retries),
    ("CompensationRecords", compensation.compensation_violations),
)
"""Name of the rule to the function that yields what breaks it."""


def violations(state: State) -> list[Violation]:
    """Return what is broken.

    The state holds the whole instance, ended rows included or not, and no command is under way. Rules over the
    history as such (`TokenFinalizedTwice`, `TimerFiredTwice`, `SequenceGap` …) cannot be told from a state alone.
    """
    return [Violation(name, text) for name, rule in RULES for text in rule(state)]
