"""The feature processes of the betsy benchmark: trace, end state, number of instances, checks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bpm.core.errors import DefinitionInvalid
from tests.corpus.betsy_player import BetsyPlayer
from tests.corpus.deploying import deploy_or_later
from tests.support.corpus import corpus_dir
from tests.support.corpus_scores import Scores
from tests.support.hosts import Host

FOLDER = corpus_dir("betsy")
TESTS: list[dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))["tests"]
CASES = [(test, case) for test in TESTS for case in test["cases"]]
SCORES = {host: Scores(f"betsy on {host}", len(CASES)) for host in ("core", "database")}
DEVIATIONS: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "deviations.json").read_text())[
    "betsy"
]
ENDS = {
    "completed": {"COMPLETED"},
    "waiting": {"RUNNING"},
    "failed": {"FAILED"},
    "rejected-or-failed": {"FAILED"},
}
KNOWN_FIELDS = {
    *("number", "start", "upstream_wait_ms", "advance_clock_ms", "expected_trace", "compare", "must_precede"),
    *("end_state", "upstream_tokens", "expected_checks", "expected_error", "strict_trace", "instances"),
    *("other_instances_end_state", "reference_order"),
}


@pytest.mark.parametrize(
    ("test", "case"), CASES, ids=[f"{test['name']}-{case['number']}" for test, case in CASES]
)
def test_a_case_leaves_the_expected_trace(
    test: dict[str, Any], case: dict[str, Any], make_host: Callable[[], Host], host_name: str
) -> None:
    assert case.keys() <= KNOWN_FIELDS
    deviation = DEVIATIONS.get(test["name"])
    with SCORES[host_name].case(deviation["letter"] if deviation else None):
        _play(test, case, make_host(), deviation)


def _play(test: dict[str, Any], case: dict[str, Any], host: Host, deviation: dict[str, str] | None) -> None:
    player = BetsyPlayer(host)
    content = (FOLDER / test["file"]).read_bytes()
    if deviation and deviation["letter"] == "typo":
        content = content.replace(deviation["replace"].encode(), deviation["by"].encode())
    try:
        deploy_or_later(host, content)
    except DefinitionInvalid:
        assert case["end_state"] == "rejected-or-failed"
        return
    player.play(case)
    trace = case["strict_trace"] if deviation and deviation["letter"] == "strict" else case["expected_trace"]
    failed = [*_wrong_trace(player.trace.words, trace, case), *_wrong_ends(player, test, case)]
    assert not failed, f"{failed}\ntrace {player.trace.words}\ninstances {player.statuses()}"


def _wrong_trace(words: list[str], expected: list[str], case: dict[str, Any]) -> Iterator[str]:
    if Counter(words) != Counter(expected) or (case["compare"] == "ordered" and words != expected):
        yield f"the trace is not {expected}"
    for first, second in case.get("must_precede", ()):
        if first in words and second in words and words.index(first) > words.index(second):
            yield f"{first} comes after {second}"


def _wrong_ends(player: BetsyPlayer, test: dict[str, Any], case: dict[str, Any]) -> Iterator[str]:
    statuses = player.statuses()
    if case["end_state"] not in ENDS:
        yield f"unknown end state {case['end_state']}"
    main = player.started[-1]
    if statuses[main][1] not in ENDS[case["end_state"]]:
        yield f"the instance is {statuses[main][1]}, not {case['end_state']}"
    # Where the case does not say how many there are, called instances may stand beside the started ones.
    expected = case.get("instances") or {start["process"]: 1 for start in case["start"]}
    found = {process: player.processes()[process] for process in expected}
    if found != expected or ("instances" in case and player.processes() != Counter(expected)):
        yield f"instances {dict(player.processes())}, not {expected}"
    others = {status for instance, (_, status) in statuses.items() if instance != main}
    if "other_instances_end_state" in case and not others <= ENDS[case["other_instances_end_state"]]:
        yield f"other instances are {others}"
    if main not in player.trace.logs and "CREATE_LOG_FILE" in test["script_tokens"]:
        yield "the instance did not really start"
    yield from (
        f"{check} does not hold"
        for check in case.get("expected_checks", ())
        if check not in player.trace.checks
    )
