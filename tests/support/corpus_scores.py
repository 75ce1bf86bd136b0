"""How many cases of a corpus pass, are for later or deviate; compared with the committed numbers.

A case is for later when its model uses an element, or its steps an operation, that the engine does not have yet. Both
are told by rule, never by name. `BPM_CORPUS_WRITE=1` writes the numbers instead of comparing them.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SCORES_FILE = Path(__file__).parent.parent / "expected_corpus.json"


class Later(Exception):
    """The case needs what the engine does not have yet."""


class Scores:
    """The outcomes of one suite on one host."""

    def __init__(self, suite: str, total: int) -> None:
        self.suite = suite
        self.total = total
        self.outcomes: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        ALL[suite] = self

    @contextmanager
    def case(self, deviation: str | None = None) -> Iterator[None]:
        """Count one case: whatever it raises but `Later` fails the test."""
        try:
            yield
        except Later as reason:
            self.outcomes["later"] += 1
            self.reasons[str(reason)] += 1
        except BaseException:
            self.outcomes["failed"] += 1
            raise
        else:
            self.outcomes["deviation" if deviation else "passed"] += 1

    @property
    def complete(self) -> bool:
        """Whether every case was run, so that the numbers can be compared."""
        return sum(self.outcomes.values()) == self.total

    def numbers(self) -> dict[str, int]:
        """Return the committed part of the numbers."""
        return {name: self.outcomes[name] for name in ("passed", "deviation", "later")}


ALL: dict[str, Scores] = {}
"""Suite, with its host, to its scores in this run."""


def committed() -> dict[str, dict[str, int]]:
    """Return the committed numbers by suite."""
    found: dict[str, dict[str, int]] = json.loads(SCORES_FILE.read_text()) if SCORES_FILE.exists() else {}
    return found


def shortfalls() -> list[str]:
    """Return the suites of which fewer cases pass than committed."""
    expected = committed()
    return [
        f"{suite}: {scores.outcomes['passed']} passed, {expected[suite]['passed']} are committed"
        for suite, scores in ALL.items()
        if scores.complete and scores.outcomes["passed"] < expected.get(suite, {}).get("passed", 0)
    ]


def write_committed() -> None:
    """Write the numbers of all suites that were run completely."""
    numbers = committed() | {suite: scores.numbers() for suite, scores in ALL.items() if scores.complete}
    SCORES_FILE.write_text(json.dumps(numbers, indent=2, sort_keys=True) + "\n")


def summary_lines() -> Iterator[str]:
    """Yield what the run's summary says."""
    for suite, scores in ALL.items():
        counts = ", ".join(f"{number} {name}" for name, number in sorted(scores.outcomes.items()))
        yield f"{suite}: {sum(scores.outcomes.values())} of {scores.total} cases: {counts}"
        for reason, number in scores.reasons.most_common(8):
            yield f"    later {number:4d}  {reason}"


def writing() -> bool:
    """Return whether this run writes the numbers."""
    return os.environ.get("BPM_CORPUS_WRITE") == "1"
