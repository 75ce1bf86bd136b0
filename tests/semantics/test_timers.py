"""Timer catch events (semantics §6)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from tests.support.clock import START
from tests.support.play import Case, Play


def _timer(play: Play, options: str, **variables: object) -> Case:
    return play.begin(f"start s -> t\n timer t {options} -> e\n end e", **variables)


@pytest.mark.parametrize(
    ("options", "due"),
    [
        ("duration=PT10M", START + timedelta(minutes=10)),
        ("duration=P1M", datetime(2026, 2, 1, tzinfo=UTC)),
        ("duration=${span}", START + timedelta(seconds=30)),
        ('duration="=duration(span)"', START + timedelta(seconds=30)),
        ("date=2026-05-05T12:00:00+02:00", datetime(2026, 5, 5, 10, tzinfo=UTC)),
        ("date=2026-05", datetime(2026, 5, 1, tzinfo=UTC)),
        ("date=${day}", datetime(2026, 7, 1, tzinfo=UTC)),
        ("cycle=R3/PT10M", START + timedelta(minutes=10)),
        ("cycle=R3/2026-02-01T00:00:00Z/P1D", datetime(2026, 2, 2, tzinfo=UTC)),
    ],
)
def test_a_timer_is_due_when_its_text_says(play: Play, options: str, due: datetime) -> None:
    case = _timer(play, options, span="PT30S", day="2026-07-01")
    timer = case.timer("t")
    assert abs(timer.due_at - due) < timedelta(milliseconds=10)
    assert (timer.status, case.tokens()) == ("SCHEDULED", {"t": "Waiting"})


def test_a_timer_fires_once_when_it_is_due(play: Play) -> None:
    case = _timer(play, "duration=PT10M")
    play.pass_time("PT9M59S")
    assert case.at() == ["t"]
    play.pass_time("PT1S")
    assert (case.status, case.timer("t").status) == ("COMPLETED", "FIRED")
    timer = case.timer("t").id
    assert case.do(c.FireTimers(timers=(timer,), force=True)) == {"fired": []}
    assert len(case.of(e.TimerFired)) == 1


def test_a_timer_that_is_not_due_is_left_out_unless_forced(play: Play) -> None:
    case = _timer(play, "duration=PT10M")
    timer = case.timer("t").id
    unknown = "01900000-0000-7000-8000-000000000000"
    assert case.do(c.FireTimers(timers=(timer, unknown))) == {"fired": []}
    assert case.do(c.FireTimers(timers=(timer,), force=True)) == {"fired": [timer]}
    assert case.status == "COMPLETED"


@pytest.mark.parametrize("options", ["duration=${text}", "date=${text}", "cycle=${text}", "duration=${n}"])
def test_computed_text_that_is_no_time_fails_the_token(play: Play, options: str) -> None:
    case = _timer(play, options, text="soon", n=5)
    assert (case.status, case.state.timers) == ("FAILED", {})
    assert [row.kind for row in case.incidents()] == ["TimerInvalid"]
    case.set(
        text="R1/PT1S" if "cycle" in options else "2026-01-02" if "date" in options else "PT1S", n="PT1S"
    )
    case.retry("t")
    play.pass_time("P2D")
    assert case.status == "COMPLETED"


def test_a_timer_in_the_past_fires_at_once(play: Play) -> None:
    case = _timer(play, "date=2020-01-01")
    play.run_due()
    assert case.status == "COMPLETED"


def test_timers_of_one_instance_fire_in_the_order_in_which_they_are_due(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> a, b, d
        timer a duration=PT3S -> e
        timer b duration=PT1S -> e
        timer d duration=PT2S -> e
        end e
    """)
    play.pass_time("PT1M")
    assert [event.node for event in case.of(e.TimerFired)] == ["b", "d", "a"]
    assert case.status == "COMPLETED"


def test_a_timer_in_a_loop_is_a_new_row_each_time(play: Play) -> None:
    case = play.begin(
        """
        start s -> m
        xor m -> t
        timer t duration=PT1S -> x
        script x script="${n + 1}" result=n -> y
        xor y -> m [n < 3], e [else]
        end e
    """,
        n=0,
    )
    play.pass_time("PT1H")
    assert case.status == "COMPLETED"
    assert len(case.of(e.TimerFired)) == 3
