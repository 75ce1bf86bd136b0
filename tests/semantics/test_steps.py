"""Bounds of one command: steps and passes (semantics §4)."""

from __future__ import annotations

from itertools import pairwise

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.context import Limits
from tests.support.core_host import CoreHost
from tests.support.play import Play

LOOP = """
    start s -> m
    xor m -> t
    task t -> x
    xor x -> m [again], e [else]
    end e
"""


def _play(steps: int, passes: int = 100_000) -> Play:
    return Play(CoreHost(limits=Limits(steps=steps, passes=passes)))


def _chain(length: int) -> str:
    names = [f"t{number}" for number in range(length)] + ["a"]
    tasks = [f"task {one} -> {two}" for one, two in pairwise(names)]
    return "\n".join(["start s -> t0", *tasks, "user a"])


def test_the_steps_of_a_command_are_the_nodes_passed() -> None:
    """One start event and eight tasks are nine steps; coming to rest at the user task is none."""
    within = _play(10).begin(_chain(8))
    assert (within.at(), within.state.jobs) == (["a"], {})
    beyond = _play(10).begin(_chain(9))
    assert (beyond.tokens(), beyond.job("a").kind) == ({"a": "Ready"}, "continuation")


def test_a_command_that_passed_its_bound_goes_on_in_a_job() -> None:
    play = _play(10)
    case = play.begin(_chain(35))
    assert case.tokens() == {"t9": "Ready"}
    play.run_due()
    assert case.at() == ["a"]
    assert len(case.of(e.JobCreated)) == 3
    assert case.passed() == {"s": 1} | {f"t{number}": 1 for number in range(35)}


def test_all_tokens_of_a_command_count_together_and_each_gets_its_job() -> None:
    play = _play(9)
    case = play.begin("""
        start s -> f
        par f -> a0, b0
        task a0 -> a1
        task a1 -> a2
        task a2 -> a3
        task a3 -> a4
        task a4 -> j
        task b0 -> b1
        task b1 -> b2
        task b2 -> b3
        task b3 -> b4
        task b4 -> j
        par j -> u
        user u
    """)
    assert [job.kind for job in case.state.jobs.values()] == ["continuation", "continuation"]
    play.run_due()
    assert case.at() == ["u"]
    assert len(case.of(e.JoinFired)) == 1


def test_an_endless_loop_fails_at_the_node_that_was_passed_too_often() -> None:
    play = _play(10, passes=20)
    case = play.begin(LOOP, again=True)
    play.run_due()
    assert (case.status, case.tokens()) == ("FAILED", {"m": "Failed"})
    assert [row.kind for row in case.incidents()] == ["TooManyPasses"]
    assert case.passed()["m"] == 20


def test_a_retry_after_too_many_passes_begins_to_count_anew() -> None:
    play = _play(10, passes=20)
    case = play.begin(LOOP, again=True)
    play.run_due()
    case.retry("m")
    play.run_due()
    assert [row.kind for row in case.incidents()] == ["TooManyPasses"]
    assert case.passed()["m"] == 40
    case.set(again=False)
    case.retry("m")
    assert case.status == "COMPLETED"


def test_a_wait_state_in_the_loop_resets_the_count() -> None:
    play = _play(10, passes=20)
    case = play.begin(
        """
        start s -> m
        xor m -> t
        task t -> x
        xor x -> m [inner], a [else]
        user a -> m
    """,
        inner=False,
    )
    for _ in range(50):
        case.complete("a")
    assert (case.at(), case.incidents()) == (["a"], [])
    assert case.state.instance.passes == {}


def test_passes_are_counted_over_continuations_and_reset_by_a_wait() -> None:
    play = _play(10, passes=1_000)
    case = play.begin(LOOP.replace("e [else]", "a [else]") + "user a", again=True)
    for _ in range(4):
        case.host.run_job(case.id, next(row.id for row in case.state.jobs.values() if row.status == "READY"))
    assert sum(case.state.instance.passes.values()) == 50
    case.set(again=False)
    play.run_due()
    assert (case.at(), case.state.instance.passes) == (["a"], {})


def test_a_continuing_instance_can_be_cancelled() -> None:
    play = _play(10)
    case = play.begin(LOOP, again=True)
    case.do(c.CancelInstance())
    assert (case.status, case.at()) == ("CANCELLED", [])
    play.run_due()
    assert case.status == "CANCELLED"
