"""Counted tests: a full run that collects fewer tests than committed fails.

``BPM_COUNT_RUN`` names the run (``sqlite`` or ``postgresql``); without it nothing is compared.
``BPM_COUNT_WRITE=1`` writes the numbers instead, for ``make counts``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support.corpus import CORPUS

COUNTS_FILE = Path(os.environ.get("BPM_COUNTS_FILE") or Path(__file__).parent.parent / "expected_counts.json")

_lines: list[str] = []
_missing: list[str] = []


def pytest_collection_finish(session: pytest.Session) -> None:
    """Compare or write the numbers of selected tests, those of the corpus apart."""
    run = os.environ.get("BPM_COUNT_RUN", "")
    if not run:
        return
    found = {"tests": 0, "corpus": 0}
    for item in session.items:
        found["corpus" if item.get_closest_marker("corpus") else "tests"] += 1
    committed = json.loads(COUNTS_FILE.read_text()) if COUNTS_FILE.exists() else {}
    if os.environ.get("BPM_COUNT_WRITE") == "1":
        if not session.testsfailed:  # modules that cannot be collected would lower the numbers
            _write(run, found, committed)
    else:
        _compare(run, found, committed.get(run, {}))


def _write(run: str, found: dict[str, int], committed: dict[str, dict[str, int]]) -> None:
    kept = committed.get(run, {}) if CORPUS is None else {}
    committed[run] = found | {name: kept[name] for name in ("corpus",) if name in kept}
    COUNTS_FILE.write_text(json.dumps(committed, indent=2, sort_keys=True) + "\n")
    _lines.append(f"{run}: wrote {committed[run]} to {COUNTS_FILE.name}")


def _compare(run: str, found: dict[str, int], committed: dict[str, int]) -> None:
    for kind, number in found.items():
        if kind == "corpus" and CORPUS is None:
            continue
        expected = committed.get(kind, 0)
        _lines.append(f"{run}: {number} {kind} collected, at least {expected} expected")
        if number < expected:
            _missing.append(
                f"{run}: {expected - number} {kind} are gone ('make counts' writes what is there)"
            )


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run whose tests became fewer."""
    if _missing:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print both numbers."""
    if _lines:
        terminalreporter.section("counted tests")
        for line in _lines + _missing:
            terminalreporter.write_line(line)
