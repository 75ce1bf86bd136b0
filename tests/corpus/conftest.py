"""Totals of the corpora at the end of a run; fewer passing cases than committed fail it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.support import corpus_scores
from tests.support.core_host import CoreHost
from tests.support.database_host import DatabaseHost
from tests.support.hosts import Host

DATABASE = pytest.param("database", marks=pytest.mark.django_db(transaction=True))


@pytest.fixture(params=["core", DATABASE])
def host_name(request: pytest.FixtureRequest) -> str:
    """Each host in turn."""
    return str(request.param)


@pytest.fixture
def make_host(host_name: str) -> Iterator[Callable[[], Host]]:
    """Make an empty engine."""
    made: list[DatabaseHost] = []

    def make() -> Host:
        if host_name == "core":
            return CoreHost()
        made.append(DatabaseHost())
        return made[-1]

    yield make
    for host in made:
        host.close()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the numbers, or fail a run in which fewer cases pass."""
    if corpus_scores.writing():
        corpus_scores.write_committed()
    elif corpus_scores.shortfalls():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the totals."""
    lines = [*corpus_scores.summary_lines(), *corpus_scores.shortfalls()]
    if lines:
        terminalreporter.section("corpora")
        for line in lines:
            terminalreporter.write_line(line)
