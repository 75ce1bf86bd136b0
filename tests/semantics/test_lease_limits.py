"""A limit to the leases of an external task that run out (semantics §5, §9)."""

from __future__ import annotations

import pytest

from bpm.core import events as e
from bpm.core.errors import DefinitionInvalid
from tests.support.bpmn_text import bpmn, flows
from tests.support.play import Case, Play


def source(limit: str, *, at_process: bool = False) -> bytes:
    own = 'xmlns:own="urn:bpm-engine:1"'
    task = f'<serviceTask id="x" camunda:type="external" camunda:topic="t" {"" if at_process else limit}/>'
    found = bpmn(f'<startEvent id="s"/>{task}<endEvent id="e"/>', flows("s x", "x e")).decode()
    found = found.replace("<definitions ", f"<definitions {own} ", 1)
    return found.replace('<process id="p"', f'<process id="p" {limit if at_process else ""}', 1).encode()


def begin(play: Play, limit: str, *, at_process: bool = False) -> Case:
    play.host.deploy(source(limit, at_process=at_process))
    return play.start()


def let_run_out(play: Play, *, loops: bool) -> None:
    assert len(play.fetch("w", "t", lease_ms=1_000)) == 1
    play.advance("PT2S")
    if loops:
        play.run_due()


@pytest.mark.parametrize("loops", [True, False])
@pytest.mark.parametrize("at_process", [True, False])
def test_work_that_always_overruns_its_lease_becomes_an_incident(
    play: Play, at_process: bool, loops: bool
) -> None:
    case = begin(play, 'own:leaseLimit="3"', at_process=at_process)
    for _ in range(3):
        assert case.status == "RUNNING"
        let_run_out(play, loops=loops)
    assert play.fetch("w2", "t") == []
    assert (case.status, case.external("x").status) == ("FAILED", "FAILED")
    (incident,) = case.incidents()
    assert incident.kind == "LeasesExpired"
    assert "3 leases" in incident.message
    assert "w" in incident.message
    case.retry("x")
    assert (case.external("x").retries, case.external("x").expiries) == (3, 0)
    case.work("x")
    assert case.status == "COMPLETED"


def test_without_a_limit_it_comes_again_and_again(play: Play) -> None:
    case = begin(play, "")
    for _ in range(8):
        let_run_out(play, loops=True)
    assert (case.status, len(case.of(e.ExternalTaskLockExpired))) == ("RUNNING", 8)


def test_a_lease_that_is_given_back_does_not_count(play: Play) -> None:
    case = begin(play, 'own:leaseLimit="1"')
    case.work("x")
    assert case.status == "COMPLETED"


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", ""])
def test_a_limit_is_a_number_above_zero(play: Play, text: str) -> None:
    with pytest.raises(DefinitionInvalid) as refused:
        play.host.deploy(source(f'own:leaseLimit="{text}"'))
    assert [problem.rule for problem in refused.value.problems] == ["lease-limit"]
