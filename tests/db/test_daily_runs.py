"""What runs once a day runs at the same local time each day, wherever the machine stands."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from pytest_django import Settings

from bpm import engine
from bpm.models import ProcessInstance, Timer
from bpm.shell.clock import frozen
from tests.api.definitions import END, bpmn, line

ZONES = ("Europe/Moscow", "America/New_York", "Europe/Berlin")


@pytest.fixture(params=["America/Los_Angeles", "Asia/Tokyo"])
def machine_elsewhere(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = request.param
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.usefixtures("machine_elsewhere", "transactional_db")
@pytest.mark.parametrize("zone", ZONES)
def test_a_daily_start_keeps_its_local_time(zone: str, settings: Settings) -> None:
    """P118: a daily run drifts by the zone's offset each day."""
    settings.BPM = {**settings.BPM, "TIME_ZONE": zone}
    start = (
        '<startEvent id="begin"><timerEventDefinition><timeCycle>0 30 9 * * ?</timeCycle>'
        "</timerEventDefinition></startEvent>"
    )
    # Over the change of the clocks in Berlin and New York.
    with frozen(datetime(2026, 10, 23, 12, tzinfo=UTC)):
        engine.deploy([("daily.bpmn", bpmn("daily", start + END + line("begin", "end")))])
    seen = []
    for day in range(1, 12):
        due = Timer.objects.get(status="SCHEDULED").due_at
        seen.append(due.astimezone(ZoneInfo(zone)))
        with frozen(due):
            assert len(engine.fire_due_starts(10).done) == 1
        assert ProcessInstance.objects.count() == day
    assert {(at.hour, at.minute) for at in seen} == {(9, 30)}
    assert [(after.date() - before.date()).days for before, after in pairwise(seen)] == [1] * 10
