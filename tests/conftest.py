"""Rules of every test run: selection by database and corpus, no silent skips, counted tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support.corpus import CORPUS

pytest_plugins = [
    "tests.support.selection",
    "tests.support.skips",
    "tests.support.counts",
    "tests.support.shaking",
    "tests.support.unhurried",
]

_ALWAYS: dict[str, Any] = {
    "deadline": None,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.too_slow],
}
"""How long an example takes says how busy the machine is."""
settings.register_profile("dev", max_examples=50, **_ALWAYS)
settings.register_profile("ci", max_examples=100, derandomize=True, **_ALWAYS)
settings.register_profile("mutation", settings.get_profile("ci"), max_examples=10)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Pass over tests/corpus where there is no corpus: its modules read it while they are collected."""
    return True if CORPUS is None and collection_path == Path(__file__).parent / "corpus" else None


@pytest.fixture(autouse=True)
def _clean_log_context() -> None:
    from structlog.contextvars import clear_contextvars

    clear_contextvars()


@pytest.fixture(autouse=True)
def _nothing_remembered_wrongly() -> Iterator[None]:
    """Learn each decision at once, decide every second one that is remembered anew, and let none be another one."""
    from bpm.shell.remembering.memory import memory

    memory.learned_at, memory.doubted = 1, 2
    yield
    wrong, memory.wrong = memory.wrong, 0
    assert not wrong, f"{wrong} decisions were remembered wrongly; the log says which"
