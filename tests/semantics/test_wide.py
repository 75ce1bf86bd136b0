"""Wide models: cost grows with the width once, never with its square (generous bounds)."""

from __future__ import annotations

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from tests.support.core_host import CoreHost
from tests.support.folding import differences, fold
from tests.support.invariants import violations
from tests.support.play import Case, Play
from tests.support.processor_time import processor_time


def _wide(width: int, node: str) -> str:
    names = [f"n{number}" for number in range(width)]
    branches = "\n".join(f"{node} {name} -> j" for name in names)
    return f"start s -> f\n par f -> {', '.join(names)}\n{branches}\n par j -> e\n end e"


@pytest.mark.parametrize("node", ["task", "user"])
def test_ten_thousand_branches_join_in_linear_time(node: str) -> None:
    spent = {}
    for width in (1_000, 10_000):
        play = Play(CoreHost(checked=False))
        play.deploy(_wide(width, node))
        with processor_time() as taken:
            case = play.start()
            _finish(case)
        spent[width] = taken.seconds
        assert case.status == "COMPLETED"
        assert len(case.of(e.JoinFired)) == 1
        assert len(case.of(e.JoinArrived)) == width
    assert spent[10_000] < 30 * spent[1_000] + 1
    assert spent[10_000] < 30


def _finish(case: Case) -> None:
    for task in case.tasks():
        case.do(c.CompleteUserTask(task=task.id))
    for job in [row for row in case.state.jobs.values() if row.status == "READY"]:
        case.host.run_job(case.id, job.id)


def test_a_wide_fork_to_wait_states_is_two_steps() -> None:
    """Coming to rest is no step, so nothing is left for a job."""
    play = Play(CoreHost(checked=False))
    play.deploy(_wide(10_000, "user"))
    case = play.start()
    assert len(case.tasks()) == 10_000
    assert case.state.jobs == {}
    assert differences(case.state, fold(case.id, case.host.history(case.id))) == []
    assert violations(case.state, case.host.history(case.id)) == []


def test_completing_one_of_many_branches_does_not_look_at_the_others() -> None:
    spent = {}
    for width in (10, 10_000):
        play = Play(CoreHost(checked=False))
        play.deploy(_wide(width, "user"))
        case = play.start()
        tasks = case.tasks()[:9]
        with processor_time() as taken:
            for task in tasks:
                case.do(c.CompleteUserTask(task=task.id))
        spent[width] = taken.seconds
    assert spent[10_000] < 10 * spent[10] + 0.05
