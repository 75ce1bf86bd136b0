"""With BPM_FORBID_SKIPS=1 a skipped or expectedly failing test fails the run."""

from __future__ import annotations

import os

import pytest

_skipped: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember each test that was skipped or marked as expected to fail."""
    if report.skipped:
        _skipped.append(report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Remember each module that skipped itself."""
    if report.skipped:
        _skipped.append(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Turn skips into a failed run where they are forbidden."""
    if _skipped and _forbidden():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the skipped tests that made the run fail."""
    if _skipped and _forbidden():
        terminalreporter.section("skips are forbidden in this run", red=True)
        for nodeid in _skipped:
            terminalreporter.write_line(nodeid)


def _forbidden() -> bool:
    return os.environ.get("BPM_FORBID_SKIPS") == "1"
