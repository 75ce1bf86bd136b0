"""Which tests a run selects: by database and by corpus. Others are deselected and counted, never skipped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.corpus import CORPUS

_DATABASE_FIXTURES = {
    "db",
    "transactional_db",
    "django_db_reset_sequences",
    "django_db_serialized_rollback",
    "live_server",
}


def pytest_configure(config: pytest.Config) -> None:
    """Fail at once where a corpus is required or named but absent."""
    if CORPUS is not None and not CORPUS.is_dir():
        raise pytest.UsageError(f"BPM_CORPUS={CORPUS}: there is no such folder.")
    if CORPUS is None and os.environ.get("BPM_REQUIRE_CORPUS") == "1":
        raise pytest.UsageError("BPM_CORPUS is not set, and this run requires the conformance corpus.")


def pytest_report_header() -> list[str]:
    """Say on what the tests run."""
    database = os.environ.get("BPM_TEST_DATABASE") or "sqlite"
    corpus = str(CORPUS) if CORPUS else "none; corpus tests are deselected, set BPM_CORPUS to run them"
    return [f"database: {database}", f"corpus: {corpus}"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what touches the database or the corpus, then drop what this run cannot serve."""
    other = "sqlite" if os.environ.get("BPM_TEST_DATABASE") == "postgresql" else "postgresql"
    kept: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    for item in items:
        _mark(item)
        unfit = item.get_closest_marker(other) or (CORPUS is None and item.get_closest_marker("corpus"))
        (dropped if unfit else kept).append(item)
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


def _mark(item: pytest.Item) -> None:
    fixtures = set(getattr(item, "fixturenames", ()))
    if item.get_closest_marker("django_db") or fixtures & _DATABASE_FIXTURES:
        item.add_marker(pytest.mark.database)
    if Path(__file__).parent.parent / "corpus" in item.path.parents:
        item.add_marker(pytest.mark.corpus)
