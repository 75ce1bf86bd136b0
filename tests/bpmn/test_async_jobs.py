from __future__ import annotations

import pytest

from bpm.core.graph import Node
from tests.bpmn.files import around, found, graph, read


def node(attributes: str = "", inside: str = "") -> Node:
    """Return a task with these attributes and extension elements."""
    extensions = f"<extensionElements>{inside}</extensionElements>" if inside else ""
    return graph(around(f'<task id="x" {attributes}>{extensions}</task>')).nodes["x"]


def cycle(text: str) -> str:
    """Return the extension element that says when jobs are tried again."""
    return f"<camunda:failedJobRetryTimeCycle>{text}</camunda:failedJobRetryTimeCycle>"


@pytest.mark.parametrize(
    ("attributes", "before", "after"),
    [
        ("", False, False),
        ('camunda:asyncBefore="true"', True, False),
        ('camunda:async="true"', True, False),
        ('camunda:asyncAfter="true"', False, True),
        ('camunda:asyncLeave="1"', False, True),
        ('camunda:asyncBefore="true" camunda:asyncAfter="true" camunda:exclusive="false"', True, True),
        ('camunda:asyncBefore="false"', False, False),
    ],
)
def test_continuations(attributes: str, before: bool, after: bool) -> None:
    made = node(attributes)
    assert (made.before, made.after) == (before, after)


@pytest.mark.parametrize(
    ("text", "attempts", "delays"),
    [
        ("R3/PT10S", 3, ("PT10S",)),
        (" R5/PT5M ", 5, ("PT5M",)),
        ("R1/P1D", 1, ("P1D",)),
        ("PT10M", 2, ("PT10M",)),
        ("PT10M, PT17M", 3, ("PT10M", "PT17M")),
        ("PT0S", 2, ("PT0S",)),
        ("", 3, ()),
    ],
)
def test_retry_cycles(text: str, attempts: int, delays: tuple[str, ...]) -> None:
    made = node(inside=cycle(text))
    assert (made.job_retries, made.job_delays) == (attempts, delays)


@pytest.mark.parametrize(
    "text",
    ["R0/PT1S", "R/PT1S", "R3/tomorrow", "10m", "PT10M,", "-PT1S", "${cycle}", "R9999/PT1S", "R3/PT1S/PT1S"],
)
def test_texts_that_are_no_retry_cycle_are_refused(text: str) -> None:
    body = around(f'<task id="x"><extensionElements>{cycle(text)}</extensionElements></task>')
    assert found(read(body).problems) == {("x", "job-retry-cycle")}
