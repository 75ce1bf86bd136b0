"""Forty betsy cases that together have every element and trigger of the files, killed at their statements."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from bpm import engine, handlers
from bpm.shell.jobs import ClaimedJob
from tests.corpus.marker_words import Trace, run_words
from tests.support.clock import START
from tests.support.corpus import corpus_dir
from tests.support.crash_matrix import Matrix, Story, usual_stride
from tests.support.crash_world import Variables, World

pytestmark = [
    pytest.mark.crash,
    # All points take twelve times as long as the usual ones.
    pytest.mark.timeout(3_600 * max(1, 12 // usual_stride())),
    pytest.mark.django_db(transaction=True),
]
FOLDER = corpus_dir("betsy")
TESTS: list[dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))["tests"]
DEVIATIONS: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "deviations.json").read_text())[
    "betsy"
]
WANTED = 40
TIMED = {"WAIT_TEN_SECONDS", "CREATE_TIMESTAMP_LOG_1", "CREATE_TIMESTAMP_LOG_2"}
"""Scripts that take time: which of two things then comes first depends on when they were begun again."""

SCOPES = ("process", "subProcess", "transaction", "adHocSubProcess")


def features(test: dict[str, Any]) -> set[str]:
    """Return what a file has: elements, and event definitions with where they stand."""
    root = etree.fromstring((FOLDER / test["file"]).read_bytes(), etree.XMLParser(resolve_entities=False))
    return {_feature(element) for element in root.iter("{*}*")} - {""}


def _feature(element: etree._Element) -> str:
    name, parent = etree.QName(element).localname, element.getparent()
    where = etree.QName(parent).localname if parent is not None else ""
    if parent is not None and name.endswith("EventDefinition"):
        mark = parent.get("cancelActivity") or parent.get("isInterrupting") or ""
        return f"{name} at {where} {mark}"
    if (element.get("id") and where in SCOPES) or name.endswith("LoopCharacteristics"):
        return name
    return ""


def chosen_tests() -> list[dict[str, Any]]:
    """Return tests that have every feature of all that can be played here, then others up to the number wanted."""
    left = [
        test
        for test in TESTS
        if not set(test["script_tokens"]) & TIMED
        and all(case["end_state"] != "rejected-or-failed" for case in test["cases"])
    ]
    missing = set().union(*(features(test) for test in left))
    chosen: list[dict[str, Any]] = []
    while missing:
        best = max(left, key=lambda test: len(features(test) & missing))
        missing -= features(best)
        chosen.append(best)
        left.remove(best)
    return chosen + left[: max(0, WANTED - len(chosen))]


def _content(test: dict[str, Any]) -> bytes:
    content: bytes = (FOLDER / test["file"]).read_bytes()
    deviation = DEVIATIONS.get(test["name"], {})
    if deviation.get("letter") == "typo":
        return content.replace(deviation["replace"].encode(), deviation["by"].encode())
    return content


@pytest.fixture
def scripts() -> Iterator[None]:
    handlers.script("")(lambda work: None)
    yield
    handlers.unregister("script", "")


def story(test: dict[str, Any], folder: Path) -> Story:
    """Return the last case of a test as a story."""
    case = test["cases"][-1]

    def run_script(job: ClaimedJob) -> tuple[Variables, str | None]:
        effect = run_words(job.work.script, job.work.variables, Trace(), job.work.instance_id, START)
        return effect.variables, effect.error_code

    def make(run: str) -> World:
        world = World(run, folder / f"{run}.ledger", handler=run_script)
        world.horizon = START + timedelta(milliseconds=case["advance_clock_ms"], minutes=1)
        return world

    def play(world: World) -> None:
        for start in case["start"]:
            world.start(start["process"], start["variables"])
            world.settle(wait=False)
        world.settle()

    return Story(test["name"], make, play)


def test_every_case_killed_at_any_statement_ends_as_if_nothing_had_happened(
    scripts: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matrix = Matrix()
    tests = chosen_tests()
    assert len(tests) >= WANTED
    for test in tests:
        engine.deploy([(test["file"], _content(test))])
        matrix.run(story(test, tmp_path))
    with capsys.disabled():
        print(f"\nbetsy: {matrix.summary()}")
    assert not matrix.failures, "\n".join(matrix.failures)
