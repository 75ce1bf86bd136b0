from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import isodate
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpm.core.timing import Duration, TimingSyntaxError, parse_cycle, parse_date, parse_duration

BERLIN = ZoneInfo("Europe/Berlin")
ANCHOR = datetime(2026, 1, 31, tzinfo=UTC)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("PT10M", "2026-01-31T00:00", "2026-01-31T00:10"),
        ("P1M", "2026-01-31T00:00", "2026-02-28T00:00"),
        ("P1M", "2024-01-31T00:00", "2024-02-29T00:00"),
        ("P1Y", "2024-02-29T00:00", "2025-02-28T00:00"),
        ("P1Y2M3W4DT5H6M7.5S", "2026-01-01T00:00", "2027-03-26T05:06:07.500"),
        ("-P1M", "2026-03-31T00:00", "2026-02-28T00:00"),
        ("-PT5M", "2026-01-31T00:00", "2026-01-30T23:55"),
        ("+PT5M", "2026-01-31T00:00", "2026-01-31T00:05"),
        ("P1W", "2026-01-31T00:00", "2026-02-07T00:00"),
        ("P1W1D", "2026-01-31T00:00", "2026-02-08T00:00"),
        ("P0.5Y", "2026-01-31T00:00", "2026-07-31T00:00"),
        ("P1.5D", "2026-01-31T00:00", "2026-02-01T12:00"),
        ("P0,5W", "2026-01-31T00:00", "2026-02-03T12:00"),
        ("PT1.5H", "2026-01-31T00:00", "2026-01-31T01:30"),
        ("PT36H", "2026-01-31T00:00", "2026-02-01T12:00"),
        ("PT0.0000015S", "2026-01-31T00:00", "2026-01-31T00:00:00.000002"),
        ("PT0S", "2026-01-31T00:00", "2026-01-31T00:00"),
        (" PT1S\n", "2026-01-31T00:00", "2026-01-31T00:00:01"),
    ],
)
def test_durations_are_added_on_the_calendar(text: str, start: str, end: str) -> None:
    assert parse_duration(text).add_to(at(start)) == at(end)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "P",
        "PT",
        "P1DT",
        "1D",
        "PT1",
        "P1H",
        "PT1D",
        "P0.5M",
        "P-1D",
        "P1D2M",
        "pt1s",
        "P1S",
        "PT1.S",
        "P 1D",
        "x",
        "P99999999999D",
        "PT" + "1" * 200 + "S",
        "١D",
    ],
)
def test_text_that_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(TimingSyntaxError) as refused:
        parse_duration(text)
    assert refused.value.text in text
    assert refused.value.reason in str(refused.value)


def test_durations_leave_the_calendar_with_an_error() -> None:
    for text in ("P9999Y", "-P9999Y", "P9999999999D", "PT9999999999H", "P9999999999Y"):
        with pytest.raises(TimingSyntaxError):
            parse_duration(text).add_to(ANCHOR)
    with pytest.raises(TimingSyntaxError):
        parse_duration("PT9999999999H").times(10**9)
    with pytest.raises(ValueError, match="no zone"):
        parse_duration("P1D").add_to(datetime(2026, 1, 1))  # noqa: DTZ001


def test_days_follow_the_wall_clock_and_hours_the_elapsed_time() -> None:
    evening = datetime(2026, 3, 28, 20, tzinfo=BERLIN)
    assert parse_duration("P1D").add_to(evening) == datetime(2026, 3, 29, 20, tzinfo=BERLIN)
    assert parse_duration("PT24H").add_to(evening) == datetime(2026, 3, 29, 21, tzinfo=BERLIN)
    night = datetime(2026, 3, 28, 2, 30, tzinfo=BERLIN)
    assert parse_duration("P1D").add_to(night) == datetime(2026, 3, 29, 3, tzinfo=BERLIN)


@given(st.integers(-99999, 99999), st.integers(-9999, 9999), st.timedeltas(timedelta(0), timedelta(days=99)))
def test_text_of_a_duration_reads_back(months: int, days: int, elapsed: timedelta) -> None:
    for sign in (1, -1):
        duration = Duration(sign * abs(months), sign * abs(days), sign * (elapsed % timedelta(days=1)))
        assert parse_duration(duration.to_iso()) == duration


_PARTS = [st.none() | st.integers(0, 400) for _ in range(6)]


@given(st.booleans(), st.tuples(*_PARTS), st.datetimes(datetime(1950, 1, 1), datetime(2050, 1, 1)))  # noqa: DTZ001
def test_durations_are_those_of_isodate(
    negative: bool, parts: tuple[int | None, ...], start: datetime
) -> None:
    units = [f"{count}{unit}" for count, unit in zip(parts[:3], "YMD", strict=True) if count is not None]
    times = [f"{count}{unit}" for count, unit in zip(parts[3:], "HMS", strict=True) if count is not None]
    if not units and not times:
        return
    text = f"{'-' * negative}P{''.join(units)}{'T' * bool(times)}{''.join(times)}"
    theirs = start + isodate.parse_duration(text)
    assert parse_duration(text).add_to(start.replace(tzinfo=UTC)) == theirs.replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026", "2025-12-31T23:00"),
        ("2026-02", "2026-01-31T23:00"),
        ("2026-02-03", "2026-02-02T23:00"),
        ("20260203", "2026-02-02T23:00"),
        ("2026-W01", "2025-12-28T23:00"),
        ("2026-W01-3", "2025-12-30T23:00"),
        ("2026W013", "2025-12-30T23:00"),
        ("2026-060", "2026-02-28T23:00"),
        ("2024366", "2024-12-30T23:00"),
        ("2026-02-03T04", "2026-02-03T03:00"),
        ("2026-02-03T04:05", "2026-02-03T03:05"),
        ("20260203T040506Z", "2026-02-03T04:05:06"),
        ("2026-02-03 04:05:06.7894Z", "2026-02-03T04:05:06.789400"),
        ("2026-02-03T04:05:06,5-05:30", "2026-02-03T09:35:06.500"),
        ("2026-02-03T04:05:06+02", "2026-02-03T02:05:06"),
        ("2026-02-03T24:00", "2026-02-03T23:00"),
        ("2026-01-01T00:00[America/New_York]", "2026-01-01T05:00"),
        ("2026-01-01T00:00@America/New_York", "2026-01-01T05:00"),
        ("2019-10-02T08:09:40+02:00[Europe/Berlin]", "2019-10-02T06:09:40"),
        ("2026-03-29T02:30", "2026-03-29T01:00"),
        ("2026-10-25T02:30", "2026-10-25T00:30"),
        ("2026-07-01", "2026-06-30T22:00"),
        ("\n2026-02-03\t", "2026-02-02T23:00"),
    ],
)
def test_dates(text: str, instant: str) -> None:
    assert parse_date(text, BERLIN) == at(instant)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tomorrow",
        "2026-13-01",
        "2026-02-30",
        "2025-02-29",
        "2026-00",
        "2026-W54",
        "2026-W01-8",
        "2026-366",
        "2026-000",
        "2026-02-03T25:00",
        "2026-02-03T24:00:01",
        "2026-02-03T04:60",
        "2026-02-03T04:05:60",
        "2026-02-03T",
        "26-02-03",
        "2026-02-03T04:05+25:00",
        "0000-01-01",
        "2026-01-01T00:00[Nowhere/City]",
        "2026-01-01T00:00[../x]",
        "202602",
        "9999-12-31T23:59:59-01:00",
        "0001-01-01T00:00+01:00",
        "2026-1-1",
        "1" * 300,
    ],
)
def test_text_that_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(TimingSyntaxError):
        parse_date(text, UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "R4/PT10S",
            ["2026-01-31T00:00:10", "2026-01-31T00:00:20", "2026-01-31T00:00:30", "2026-01-31T00:00:40"],
        ),
        ("R1/P1D", ["2026-02-01T00:00"]),
        ("R3/2026-01-01T00:00:00Z/P1D", ["2026-01-02T00:00", "2026-01-03T00:00", "2026-01-04T00:00"]),
        ("R3/P1M", ["2026-02-28T00:00", "2026-03-31T00:00", "2026-04-30T00:00"]),
        ("R2/P1D/2026-05-01", ["2026-04-30T00:00", "2026-05-01T00:00"]),
        ("R/P1D/2026-02-02", ["2026-02-01T00:00", "2026-02-02T00:00"]),
        ("R2/2026-01-01/2026-01-03", ["2026-01-03T00:00", "2026-01-05T00:00"]),
        ("R5/9998-06-01/P1Y", ["9999-06-01T00:00"]),
    ],
)
def test_bounded_cycles(text: str, expected: list[str]) -> None:
    assert list(parse_cycle(text, UTC).due_times(ANCHOR)) == [at(moment) for moment in expected]


def test_a_cycle_without_number_has_no_end_and_does_not_drift() -> None:
    cycle = parse_cycle("R/P1M", UTC)
    due = list(islice(cycle.due_times(ANCHOR), 26))
    assert due[0] == at("2026-02-28T00:00")
    assert due[1] == at("2026-03-31T00:00")
    assert due[25] == at("2028-03-31T00:00")
    assert cycle.repetitions is None


def test_a_daily_cycle_keeps_its_wall_clock_time() -> None:
    cycle = parse_cycle("R3/2026-03-28T02:30/P1D", BERLIN)
    assert list(cycle.due_times(ANCHOR)) == [
        at("2026-03-29T01:00"),
        at("2026-03-30T00:30"),
        at("2026-03-31T00:30"),
    ]


@pytest.mark.parametrize(
    "text", ["R5/PT10M", "R/P1M", "R7/2026-01-01/P1W", "0 30 2 * * ?", "*/7 * * * *", "R/P1D/2026-03-01"]
)
def test_the_next_due_time_follows_the_previous(text: str) -> None:
    cycle = parse_cycle(text, BERLIN)
    due = list(islice(cycle.due_times(ANCHOR), 40))
    previous = None
    for moment in due:
        assert cycle.next_after(ANCHOR, previous) == moment
        previous = moment
    if len(due) < 40:
        assert cycle.next_after(ANCHOR, previous) is None
    assert cycle.next_after(ANCHOR, due[0] - timedelta(microseconds=1)) == due[0]


def test_the_next_due_time_is_found_across_a_long_downtime() -> None:
    cycle = parse_cycle("R/2000-01-01T00:00:00Z/PT1S", UTC)
    assert cycle.next_after(ANCHOR, at("2026-06-01T12:00:00.5")) == at("2026-06-01T12:00:01")
    limited = parse_cycle("R10/2000-01-01T00:00:00Z/PT1S", UTC)
    assert limited.next_after(ANCHOR, at("2026-06-01T12:00")) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "R",
        "R/",
        "R4",
        "PT10M",
        "R0/PT1S",
        "R3/PT0S",
        "R3/-PT1S",
        "R/P1D/",
        "R/x/P1D",
        "R/P1D/P1D",
        "R-1/PT1S",
        "r3/PT1S",
        "R3/2026-01-03/2026-01-01",
        "R1/PT1S/PT1S/PT1S",
        "R9999999999/PT1S",
    ],
)
def test_text_that_is_no_cycle_is_refused(text: str) -> None:
    with pytest.raises(TimingSyntaxError):
        parse_cycle(text, UTC)


@given(st.text(alphabet="RP/TYMDHSWZ0123456789-+:.,*?LW# @", max_size=30) | st.text(max_size=20))
def test_nothing_but_its_own_error_comes_out(text: str) -> None:
    for read in (
        lambda: parse_duration(text).add_to(ANCHOR),
        lambda: parse_date(text, BERLIN),
        lambda: list(islice(parse_cycle(text, BERLIN).due_times(ANCHOR), 3)),
        lambda: parse_cycle(f"R3/{text}", BERLIN).next_after(ANCHOR, ANCHOR),
    ):
        try:
            read()
        except TimingSyntaxError as refused:
            assert refused.reason  # noqa: PT017
