"""The words that stand for scripts in the betsy files, and what their handler does (legend of expected.json)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

TEN_SECONDS = timedelta(seconds=10)


@dataclass
class Trace:
    """What the scripts of one case did."""

    words: list[str] = field(default_factory=list)
    logs: set[str] = field(default_factory=set)
    checks: set[str] = field(default_factory=set)
    intervals: list[tuple[datetime, datetime]] = field(default_factory=list)


@dataclass
class Effect:
    """What one script leads to, at the end of the time it takes."""

    variables: dict[str, Any] = field(default_factory=dict)
    takes: timedelta = timedelta()
    error_code: str | None = None


def run_words(
    script: str, variables: Mapping[str, Any], trace: Trace, instance: str, now: datetime
) -> Effect:
    """Do what the words say; an unknown word is a KeyError."""
    effect = Effect()
    for word in script.split():
        if word.startswith("SCRIPT_task") and word[11:] in tuple("12345"):
            trace.words.append(word)
        else:
            _WORDS[word](effect, variables, trace, instance, now)
    return effect


def _log_file(
    effect: Effect, variables: Mapping[str, Any], trace: Trace, instance: str, now: datetime
) -> None:
    trace.logs.add(instance)


def _marker(effect: Effect, variables: Mapping[str, Any], trace: Trace, instance: str, now: datetime) -> None:
    trace.checks.add("MARKER_exists")


def _timestamps(
    effect: Effect, variables: Mapping[str, Any], trace: Trace, instance: str, now: datetime
) -> None:
    effect.takes = TEN_SECONDS
    if any(begin < now + TEN_SECONDS and now < end for begin, end in trace.intervals):
        trace.checks.add("EXECUTION_parallel")
    trace.intervals.append((now, now + TEN_SECONDS))


def _wait(effect: Effect, variables: Mapping[str, Any], trace: Trace, instance: str, now: datetime) -> None:
    effect.takes = TEN_SECONDS


def _set_data(
    effect: Effect, variables: Mapping[str, Any], trace: Trace, instance: str, now: datetime
) -> None:
    effect.variables["data"] = "String"


def _log_data(
    effect: Effect, variables: Mapping[str, Any], trace: Trace, instance: str, now: datetime
) -> None:
    if variables.get("data") == "String":
        trace.checks.add("DATA_correct")


def _increment(
    effect: Effect, variables: Mapping[str, Any], trace: Trace, instance: str, now: datetime
) -> None:
    effect.variables["integerVariable"] = variables["integerVariable"] + 1


def _increment_and_log(
    effect: Effect, variables: Mapping[str, Any], trace: Trace, instance: str, now: datetime
) -> None:
    _increment(effect, variables, trace, instance, now)
    trace.words.append("INCREMENT_correct")


def _throw(effect: Effect, variables: Mapping[str, Any], trace: Trace, instance: str, now: datetime) -> None:
    effect.error_code = "ERR_CODE"


_WORDS = {
    "CREATE_LOG_FILE": _log_file,
    "CREATE_MARKER_FILE": _marker,
    "CREATE_TIMESTAMP_LOG_1": _timestamps,
    "CREATE_TIMESTAMP_LOG_2": _timestamps,
    "WAIT_TEN_SECONDS": _wait,
    "SET_STRING_DATA": _set_data,
    "LOG_DATA": _log_data,
    "INCREMENT_INTEGER_VARIABLE": _increment,
    "INCREMENT_INTEGER_VARIABLE_AND_LOG": _increment_and_log,
    "THROW_ERROR": _throw,
}
