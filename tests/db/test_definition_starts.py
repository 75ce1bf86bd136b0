"""Starts that wait at a definition: timers, conditions, and what a new version does to them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from bpm import engine
from bpm.core import errors
from bpm.models import Definition, Subscription, Timer
from bpm.shell.clock import frozen
from tests.support.between import (
    END,
    START,
    at,
    check_all,
    deploy,
    event,
    instances,
    only,
    process,
    start,
    timer,
    user,
    variables,
)
from tests.support.clock import START as BEGIN

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _checked() -> Iterator[None]:
    yield
    check_all()


def timed(text: str, what: str = "timeCycle", task: str = "u", own: str = "") -> str:
    return process("timed", timer("startEvent", "s", text, what, own), user(task), END, line=f"s {task} e")


def fire(seconds: float, limit: int = 10) -> int:
    """Let the loop look at that time after the beginning; return how many starts fired."""
    with frozen(BEGIN + timedelta(seconds=seconds)):
        return len(engine.fire_due_starts(limit).done)


def deploy_at(seconds: float, *processes: str, **roots: str) -> list[dict[str, Any]]:
    with frozen(BEGIN + timedelta(seconds=seconds)):
        return deploy(*processes, **roots)


def moments(*seconds: float) -> list[str]:
    return [(BEGIN + timedelta(seconds=one)).isoformat() for one in seconds]


# timers


@pytest.mark.parametrize(
    ("text", "what"),
    [("PT10S", "timeDuration"), ("2026-01-01T00:00:10Z", "timeDate"), ("R1/PT10S", "timeCycle")],
)
def test_a_timer_starts_an_instance_once(text: str, what: str) -> None:
    deploy_at(0, timed(text, what))
    assert (fire(9), fire(10), fire(60)) == (0, 1, 0)
    assert at(only("timed")) == ["u"]


def test_a_cycle_starts_an_instance_at_each_due_time() -> None:
    (answer,) = deploy_at(0, timed("R3/PT10S"))
    assert answer["timer_starts"] == [{"node": "s", "firings": moments(10, 20, 30)}]
    assert [fire(second) for second in (10, 15, 20, 30, 40, 50)] == [1, 0, 1, 1, 0, 0]
    assert len(instances("timed")) == 3


def test_the_answer_shows_the_next_ten_firings() -> None:
    (answer,) = deploy_at(0, timed("R/PT1M"))
    (shown,) = answer["timer_starts"]
    assert shown["firings"] == moments(*range(60, 660, 60))


def test_cron_starts_instances() -> None:
    (answer,) = deploy_at(0, timed("0 9 * * *"))
    assert answer["timer_starts"][0]["firings"][0] == "2026-01-01T09:00:00+00:00"
    assert (fire(9 * 3600 - 1), fire(9 * 3600), fire(33 * 3600)) == (0, 1, 1)


def test_after_downtime_a_cycle_fires_once_and_goes_on_in_the_future() -> None:
    deploy_at(0, timed("R/PT10S"))
    assert (fire(35), fire(35), fire(39), fire(40)) == (1, 0, 0, 1)


def test_after_downtime_every_missed_time_is_caught_up_with_when_declared() -> None:
    deploy_at(0, timed("R/PT10S", own='own:catchUp="all"'))
    assert [fire(35) for _ in range(5)] == [1, 1, 1, 0, 0]
    assert fire(40) == 1


def test_a_cycle_with_a_past_start_fires_at_its_next_time() -> None:
    deploy_at(5, timed("R/2025-12-31T00:00:00Z/P1D"))
    assert fire(5) == 1
    assert (fire(10), fire(24 * 3600)) == (0, 1)


def test_the_text_may_be_computed_without_variables() -> None:
    deploy_at(0, timed("${'PT10S'}", "timeDuration"))
    assert fire(10) == 1
    with pytest.raises(errors.DefinitionInvalid):
        deploy(timed("${missing}", "timeDuration"))
    assert Definition.objects.count() == 1


def test_a_new_version_takes_the_place_of_the_old_one_and_the_same_again_keeps_its_phase() -> None:
    first, second = timed("R/PT10S", task="first"), timed("R/PT10S", task="second")
    deploy_at(0, first)
    (newer,) = deploy_at(5, second)
    (same,) = deploy_at(12, second)
    assert (newer["new"], same["new"]) == (True, False)
    assert newer["timer_starts"] == [{"node": "s", "firings": moments(*range(15, 115, 10))}]
    assert same["timer_starts"] == newer["timer_starts"]
    assert (fire(14), fire(15), fire(20), fire(25)) == (0, 1, 0, 1)
    assert [at(instance) for instance in instances("timed")] == [["second"]] * 2


def test_a_version_without_timer_stops_the_timer() -> None:
    deploy_at(0, timed("R/PT10S"))
    deploy_at(5, process("timed", START, END, line="s e"))
    assert fire(60) == 0
    assert set(Timer.objects.values_list("status", flat=True)) == {"CANCELLED"}


def test_a_suspended_definition_starts_nothing_until_it_is_activated() -> None:
    (answer,) = deploy_at(0, timed("R/PT10S"))
    Definition.objects.filter(id=answer["id"]).update(suspended=True)
    assert fire(35) == 0
    Definition.objects.filter(id=answer["id"]).update(suspended=False)
    assert (fire(35), fire(35)) == (1, 0)


def test_a_process_may_start_by_time_and_by_itself() -> None:
    both = process("both", START, timer("startEvent", "t", "PT1S"), user("u"), user("ut"), line="s u;t ut")
    deploy_at(0, both)
    with frozen(BEGIN):
        assert at(start("both")) == ["u"]
    fire(1)
    assert at(instances("both")[1]) == ["ut"]


def test_a_process_that_only_starts_by_something_says_so() -> None:
    deploy_at(0, timed("PT1S", "timeDuration"))
    with pytest.raises(errors.NotStartable, match="starts by s"):
        start("timed")


def test_many_timers_share_their_turns() -> None:
    deploy_at(0, *(timed("PT1S", "timeDuration").replace('"timed"', f'"t{number}"') for number in range(5)))
    assert (fire(1, limit=2), fire(1, limit=2), fire(1, limit=2)) == (2, 2, 1)


def test_one_definition_that_cannot_start_does_not_keep_the_others() -> None:
    bad, good = (timed("PT1S", "timeDuration").replace('"timed"', f'"{name}"') for name in ("bad", "good"))
    (answer, _) = deploy_at(0, bad, good)
    Definition.objects.filter(id=answer["id"]).update(executable=False)
    assert (fire(1), fire(1)) == (1, 0)
    assert (len(instances("good")), len(instances("bad"))) == (1, 0)
    assert Timer.objects.get(definition__id=answer["id"]).status == "SCHEDULED"


# a cycle inside an instance


def test_a_cycle_in_an_instance_catches_up_when_declared() -> None:
    def ticking(own: str) -> str:
        boundary = timer(
            "boundaryEvent", "b", "R/PT10S", "timeCycle", own, attachedToRef="u", cancelActivity="false"
        )
        return process("ticking", START, user("u"), boundary, user("tick"), END, line="s u e;b tick")

    for own, expected in (("", 1), ('own:catchUp="all"', 3)):
        with frozen(BEGIN):
            deploy(ticking(own))
            instance = start("ticking")
        with frozen(BEGIN + timedelta(seconds=35)):
            for _ in range(5):
                engine.fire_due_timers(10)
        assert at(instance).count("tick") == expected


def test_what_catches_up_is_once_or_all() -> None:
    with pytest.raises(errors.DefinitionInvalid) as refused:
        deploy(timed("R/PT10S", own='own:catchUp="some"'))
    assert [problem.rule for problem in refused.value.problems] == ["catch-up"]


# conditions


def conditional(condition: str, key: str = "cond", **attributes: str) -> str:
    written = "".join(f' {name.replace("__", ":")}="{value}"' for name, value in attributes.items())
    inside = f"<conditionalEventDefinition{written}><condition>{condition}</condition></conditionalEventDefinition>"
    return process(key, f'<startEvent id="s">{inside}</startEvent>', user("u"), END, line="s u e")


def test_conditions_are_evaluated_on_request_only() -> None:
    deploy(conditional("${foo == 1}"), conditional("${bar}", "other"))
    assert instances("cond") == []
    answer = engine.evaluate_conditions(variables={"foo": 1}, business_key="b")
    (started,) = answer["started"]
    assert (started["instance_id"], started["business_key"]) == (only("cond"), "b")
    assert variables(only("cond")) == {"foo": 1}
    assert engine.evaluate_conditions(variables={"foo": 2})["started"] == []


def test_conditions_of_one_process_only() -> None:
    first, _ = deploy(conditional("${true}"), conditional("${true}", "other"))
    assert len(engine.evaluate_conditions(definition=str(first["id"]))["started"]) == 1
    assert len(engine.evaluate_conditions(definition="other")["started"]) == 1
    assert (len(instances("cond")), len(instances("other"))) == (1, 1)
    with pytest.raises(errors.DefinitionNotFound):
        engine.evaluate_conditions(definition="third")


def test_a_condition_about_one_variable_needs_it() -> None:
    deploy(conditional("${true}", camunda__variableName="foo"))
    assert engine.evaluate_conditions(variables={"bar": 1})["started"] == []
    assert len(engine.evaluate_conditions(variables={"foo": 1})["started"]) == 1


def test_a_new_version_takes_over_messages_signals_and_conditions() -> None:
    def version(task: str) -> str:
        return process(
            "many",
            event("startEvent", "by_message", "message", "m"),
            event("startEvent", "by_signal", "signal", "x"),
            user(task),
            line=f"by_message {task};by_signal {task}",
        )

    deploy(version("first"), message_m="go", signal_x="alert")
    deploy(version("second"), message_m="go", signal_x="alert")
    engine.correlate("go")
    engine.signal("alert")
    assert [at(instance) for instance in instances("many")] == [["second"]] * 2
    assert Subscription.objects.filter(definition__isnull=False, status="OPEN").count() == 2


def test_a_process_that_is_not_executable_waits_for_nothing() -> None:
    text = timed("R/PT1S").replace('isExecutable="true"', 'isExecutable="false"')
    deploy_at(0, text)
    assert not Timer.objects.exists()
