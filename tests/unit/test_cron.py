from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim, CronSimError
from hypothesis import given
from hypothesis import strategies as st

from bpm.core.timing import CronSchedule, TimingSyntaxError, parse_cron

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)


def due_times(schedule: CronSchedule, start: datetime, count: int) -> list[datetime]:
    result: list[datetime] = []
    moment: datetime | None = start
    while len(result) < count:
        assert moment is not None
        moment = schedule.next_after(moment)
        if moment is None:
            break
        result.append(moment)
    return result


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 0/5 * * * ?", ["2026-01-31 12:05", "2026-01-31 12:10"]),
        ("0 15 10 ? * *", ["2026-02-01 10:15", "2026-02-02 10:15"]),
        ("0 0 12 1/1 * ? *", ["2026-02-01 12:00", "2026-02-02 12:00"]),
        ("0 0 12 ? * MON-FRI", ["2026-02-02 12:00", "2026-02-03 12:00"]),
        ("0 0 12 ? * 2-6", ["2026-02-02 12:00", "2026-02-03 12:00"]),
        ("0 0 12 ? * FRI-MON", ["2026-02-01 12:00", "2026-02-02 12:00"]),
        ("0 0 12 ? * 1", ["2026-02-01 12:00", "2026-02-08 12:00"]),
        ("0 0 12 ? * L", ["2026-02-07 12:00", "2026-02-14 12:00"]),
        ("0 0 12 ? * 6L", ["2026-02-27 12:00", "2026-03-27 12:00"]),
        ("0 0 12 ? * FRI#3", ["2026-02-20 12:00", "2026-03-20 12:00"]),
        ("0 0 12 L * ?", ["2026-02-28 12:00", "2026-03-31 12:00"]),
        ("0 0 12 L-2 * ?", ["2026-02-26 12:00", "2026-03-29 12:00"]),
        ("0 0 12 LW * ?", ["2026-02-27 12:00", "2026-03-31 12:00"]),
        ("0 0 12 15W * ?", ["2026-02-16 12:00", "2026-03-16 12:00"]),
        ("0 0 12 1W * ?", ["2026-02-02 12:00", "2026-03-02 12:00"]),
        ("0 0 22-2/2 * * ?", ["2026-01-31 22:00", "2026-02-01 00:00"]),
        ("0 0 0 * JAN,feb ?", ["2026-02-01 00:00", "2026-02-02 00:00"]),
        ("0 12 * * 0", ["2026-02-01 12:00", "2026-02-08 12:00"]),
        ("0 12 * * 7", ["2026-02-01 12:00", "2026-02-08 12:00"]),
        ("0 12 13 * 5", ["2026-02-06 12:00", "2026-02-13 12:00"]),
        ("30 0 12 * * 1", ["2026-02-02 12:00:30", "2026-02-09 12:00:30"]),
        ("0 0 29 2 *", ["2028-02-29 00:00", "2032-02-29 00:00"]),
        ("@daily", ["2026-02-01 00:00", "2026-02-02 00:00"]),
        ("@hourly", ["2026-01-31 13:00", "2026-01-31 14:00"]),
        ("@weekly", ["2026-02-01 00:00", "2026-02-08 00:00"]),
        ("@Monthly", ["2026-02-01 00:00", "2026-03-01 00:00"]),
        ("@yearly", ["2027-01-01 00:00", "2028-01-01 00:00"]),
    ],
)
def test_schedules(text: str, expected: list[str]) -> None:
    wanted = [datetime.fromisoformat(moment).replace(tzinfo=UTC) for moment in expected]
    assert due_times(parse_cron(text, UTC), START, 2) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "* * * *",
        "* * * * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * 32 * *",
        "* * * 13 *",
        "* * * * 8",
        "*/0 * * * *",
        "5-1 * * * *",
        "a * * * *",
        "* * * * MON-",
        "0 0 30 2 *",
        "0 0 ? * ?",
        "? * * * *",
        "@never",
        "0 0 12 * * ? 2026",
        "0 0 12 ? * 8",
        "0 0 12 ? * 0",
        "0 0 12 ? * 6#6",
        "0 0 31 4 *",
        "1,,2 * * * *",
        "1.5 * * * *",
    ],
)
def test_what_is_no_schedule_is_refused(text: str) -> None:
    with pytest.raises(TimingSyntaxError):
        parse_cron(text, UTC)


@pytest.mark.parametrize(
    ("text", "start", "expected"),
    [
        ("30 2 * * *", "2026-03-28 02:00", ["2026-03-29 01:00", "2026-03-30 00:30"]),
        ("0,30 2 * * *", "2026-03-28 02:00", ["2026-03-29 01:00", "2026-03-30 00:00"]),
        ("30 2 * * *", "2026-10-24 01:00", ["2026-10-25 00:30", "2026-10-26 01:30"]),
        ("30 2 * * *", "2026-10-25 00:45", ["2026-10-26 01:30"]),
        (
            "*/30 * * * *",
            "2026-10-25 00:00",
            ["2026-10-25 00:30", "2026-10-25 01:00", "2026-10-25 01:30", "2026-10-25 02:00"],
        ),
        ("*/30 * * * *", "2026-03-29 00:00", ["2026-03-29 00:30", "2026-03-29 01:00", "2026-03-29 01:30"]),
    ],
)
def test_where_the_clock_is_changed(text: str, start: str, expected: list[str]) -> None:
    begin, *wanted = (datetime.fromisoformat(moment).replace(tzinfo=UTC) for moment in (start, *expected))
    assert due_times(parse_cron(text, BERLIN), begin, len(wanted)) == wanted


def terms(low: int, high: int) -> st.SearchStrategy[str]:
    number = st.integers(low, high)
    pair = st.tuples(number, number).filter(lambda ends: ends[0] < ends[1])
    return st.one_of(
        number.map(str),
        pair.map(lambda ends: f"{ends[0]}-{ends[1]}"),
        st.integers(1, high).map(lambda step: f"*/{step}"),
        st.tuples(pair, st.integers(1, high)).map(lambda item: f"{item[0][0]}-{item[0][1]}/{item[1]}"),
        st.tuples(number, st.integers(1, high)).map(lambda item: f"{item[0]}/{item[1]}"),
        st.just("*"),
    )


def fields(low: int, high: int) -> st.SearchStrategy[str]:
    return st.lists(terms(low, high), min_size=1, max_size=3).map(",".join)


SPECS = st.tuples(
    fields(0, 59),
    fields(0, 23),
    st.just("*") | fields(1, 31) | st.sampled_from(["L", "LW"]),
    st.just("*") | fields(1, 12),
    st.just("*") | fields(0, 7) | st.sampled_from(["5L", "2#3", "1#5", "MON-FRI", "SUN,WED"]),
).map(" ".join)
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kolkata"])
CHANGES = ["2025-03-30 00:20", "2025-10-26 00:10", "2025-03-09 06:30", "2025-11-02 05:30", "2025-04-05 15:10"]
STARTS = st.one_of(
    st.integers(0, 300_000_000).map(
        lambda seconds: datetime.fromisoformat("2018-01-01") + timedelta(seconds=seconds)
    ),
    st.tuples(st.sampled_from(CHANGES), st.integers(0, 200)).map(
        lambda item: datetime.fromisoformat(item[0]) - timedelta(minutes=item[1])
    ),
).map(lambda moment: moment.replace(tzinfo=UTC))


@given(SPECS, ZONES, STARTS)
def test_due_times_are_those_of_cronsim(text: str, zone_name: str, start: datetime) -> None:
    zone = ZoneInfo(zone_name)
    try:
        theirs = [moment.astimezone(UTC) for moment in islice(CronSim(text, start.astimezone(zone)), 10)]
    except CronSimError:
        with pytest.raises(TimingSyntaxError):
            parse_cron(text, zone)
        return
    try:
        schedule = parse_cron(text, zone)
    except TimingSyntaxError:
        assert not theirs
        return
    assert due_times(schedule, start, 10) == theirs
