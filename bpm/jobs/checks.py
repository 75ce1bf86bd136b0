"""Checks of the queue's settings: those that would run tasks many times, never, or outside the engine's transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error

Check = Callable[[Mapping[str, Any]], Iterator[CheckMessage]]
_PLACE = 'Q_CLUSTER["{}"]'


def check_queue(**_options: Any) -> list[CheckMessage]:
    """Return what is wrong with `Q_CLUSTER`; nothing where django-q2 is not installed."""
    if not apps.is_installed("django_q"):
        return []
    cluster: Mapping[str, Any] = getattr(settings, "Q_CLUSTER", {})
    return [message for check in _CHECKS for message in check(cluster)]


def _times(cluster: Mapping[str, Any]) -> Iterator[CheckMessage]:
    timeout, retry = cluster.get("timeout"), cluster.get("retry", 60)
    if not timeout:
        yield _error("E001", "timeout", "a task without time limit blocks its worker for ever", "30")
    elif retry <= timeout:
        yield _error(
            "E002",
            "retry",
            f"retry ({retry} s) must be more than timeout ({timeout} s), else tasks that still run are started again",
            f"{timeout + 15}",
        )
    cycle = cluster.get("guard_cycle", 0.5)
    if timeout and not _reaches_zero(float(timeout) + 3, float(cycle)):
        yield _error(
            "E003",
            "guard_cycle",
            f"steps of {cycle} s never meet {timeout + 3} s exactly, and the guard kills a stuck worker only then",
            "0.5",
        )


def _reaches_zero(span_s: float, cycle_s: float) -> bool:
    # Binary fractions such as 0.5 are exact in the 32-bit float that is counted down; 0.3 is not.
    return 0 < cycle_s <= span_s and (cycle_s * 64).is_integer() and (span_s / cycle_s).is_integer()


def _broker(cluster: Mapping[str, Any]) -> Iterator[CheckMessage]:
    if cluster.get("orm") != "default":
        yield _error(
            "E004",
            "orm",
            "the queue must be in the engine's own database, so that a task is only seen with what it is about",
            '"default"',
        )
    if cluster.get("sync"):
        yield _error("E005", "sync", "tasks would run inside the caller's request", "False")
    options = settings.DATABASES.get("default", {}).get("OPTIONS", {})
    if options.get("pool"):
        yield Error(
            "The cluster's processes would share the connections of psycopg's pool.",
            hint='Remove "pool" from DATABASES["default"]["OPTIONS"]; use CONN_MAX_AGE.',
            id="bpm.E006",
        )


def _repeats(cluster: Mapping[str, Any]) -> Iterator[CheckMessage]:
    if cluster.get("catch_up", True):
        yield _warning("W001", "catch_up", "after downtime each missed minute would be made up for", "False")
    if not cluster.get("ack_failures") or not cluster.get("max_attempts"):
        yield _warning(
            "W002", "ack_failures", "a task that fails is repeated for ever", 'True, and "max_attempts": 3'
        )


_CHECKS: tuple[Check, ...] = (_times, _broker, _repeats)


def _error(number: str, name: str, text: str, better: str) -> Error:
    return Error(f"{_PLACE.format(name)}: {text}.", hint=f"Use {better}.", id=f"bpm.{number}")


def _warning(number: str, name: str, text: str, better: str) -> checks.Warning:
    return checks.Warning(f"{_PLACE.format(name)}: {text}.", hint=f"Use {better}.", id=f"bpm.{number}")
