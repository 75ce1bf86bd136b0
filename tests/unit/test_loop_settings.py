"""Settings of the queue that would run tasks twice, never or elsewhere are refused."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from bpm.jobs.checks import check_queue


def found(django_settings: Any, **changes: Any) -> list[str | None]:
    django_settings.Q_CLUSTER = settings.Q_CLUSTER | changes
    return [message.id for message in check_queue()]


def test_the_project_itself_is_sound() -> None:
    assert check_queue() == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"retry": 30}, ["bpm.E002"]),
        ({"retry": 10, "timeout": 25}, ["bpm.E002"]),
        ({"timeout": None}, ["bpm.E001"]),
        ({"guard_cycle": 0.3}, ["bpm.E003"]),
        ({"guard_cycle": 2, "timeout": 8}, ["bpm.E003"]),
        ({"guard_cycle": 0.25}, []),
        ({"orm": "other"}, ["bpm.E004"]),
        ({"orm": None, "redis": {"host": "127.0.0.1"}}, ["bpm.E004"]),
        ({"sync": True}, ["bpm.E005"]),
        ({"catch_up": True}, ["bpm.W001"]),
        ({"ack_failures": False}, ["bpm.W002"]),
        ({"max_attempts": 0}, ["bpm.W002"]),
    ],
)
def test_each_bad_setting_is_named(settings: Any, changes: dict[str, Any], expected: list[str]) -> None:
    """P113: a task that runs longer than `retry` would run many times."""
    assert found(settings, **changes) == expected


def test_a_pool_of_connections_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.DATABASES["default"]["OPTIONS"], "pool", True)
    assert [message.id for message in check_queue()] == ["bpm.E006"]


def test_the_cluster_does_not_start_with_a_bad_setting(settings: Any) -> None:
    settings.Q_CLUSTER = settings.Q_CLUSTER | {"retry": 5}
    with pytest.raises(SystemCheckError, match=r"retry \(5 s\) must be more than timeout \(30 s\)"):
        call_command("cluster", skip_checks=False)


def test_a_project_without_the_queue_is_not_bothered(settings: Any) -> None:
    settings.INSTALLED_APPS = [app for app in settings.INSTALLED_APPS if app != "django_q"]
    settings.Q_CLUSTER = {}
    assert check_queue() == []
