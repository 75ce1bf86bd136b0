"""Branches that fail beside one another: each is told, none takes another's result along (semantics §2, §5)."""

from __future__ import annotations

import pytest

from tests.support.hosts import Work
from tests.support.play import Play

MODEL = """
    start s -> f
    par f -> a, b, c
    service a handler=h {options} -> j
    service b handler=h {options} -> j
    service c handler=h {options} -> j
    par j -> e
    end e
"""


@pytest.mark.parametrize("options", ["", "before", "after"])
def test_two_of_three_branches_that_fail_leave_the_thirds_result(play: Play, options: str) -> None:
    broken = {"a", "c"}

    def handle(work: Work) -> dict[str, object]:
        if work.node.id in broken:
            raise RuntimeError(f"{work.node.id} is down")
        return {work.node.id: "done"}

    play.handle("service", "h", handle)
    case = play.begin(MODEL.format(options=options))
    # Until no attempt is left: no failure ends the others' attempts.
    for _ in range(4):
        play.pass_time("PT10M")
    assert [incident.node for incident in case.incidents()] == ["a", "c"]
    assert [str(incident.message) for incident in case.incidents()] == ["a is down", "c is down"]
    assert case.tokens() == {"a": "Failed", "c": "Failed", "j": "Waiting"}
    assert case.variables() == {"b": "done"}
    assert case.status == "FAILED"
    broken.clear()
    for node in ("c", "a"):
        case.retry(node)
        play.run_due()
    assert case.status == "COMPLETED"
    assert case.variables() == {"a": "done", "b": "done", "c": "done"}
    assert case.incidents() == []
