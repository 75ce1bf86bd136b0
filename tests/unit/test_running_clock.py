"""The database's clock, run on from its last reading."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from bpm.shell.running_clock import MAX_AGE_S, RunningClock

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds on this process's clock, set by the test."""
    seconds = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: seconds[0])
    return seconds


def test_it_says_nothing_before_it_was_read(passed: list[float]) -> None:
    assert RunningClock().now() is None


def test_it_goes_on_by_what_has_passed_here(passed: list[float]) -> None:
    clock = RunningClock()
    clock.note(NOON)
    passed[0] += 0.25
    assert clock.now() == NOON + timedelta(seconds=0.25)


def test_it_says_nothing_once_the_reading_is_old(passed: list[float]) -> None:
    clock = RunningClock()
    clock.note(NOON)
    passed[0] += MAX_AGE_S
    assert clock.now() is None
    clock.note(NOON - timedelta(hours=1))
    assert clock.now() == NOON - timedelta(hours=1), "also where the database's clock was put back"


def test_an_answer_that_took_long_does_not_set_it_back(passed: list[float]) -> None:
    clock = RunningClock()
    clock.note(NOON)
    passed[0] += 0.5
    clock.note(NOON + timedelta(seconds=0.1))
    assert clock.now() == NOON + timedelta(seconds=0.5)
    clock.note(NOON + timedelta(seconds=0.6))
    assert clock.now() == NOON + timedelta(seconds=0.6)


def test_it_can_be_forgotten(passed: list[float]) -> None:
    clock = RunningClock()
    clock.note(NOON)
    clock.forget()
    assert clock.now() is None
