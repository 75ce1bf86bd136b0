"""Everything that can happen in the models of the corpora: no invariant breaks, and what is found is known.

`exploring.json` lists every finding with the reason why it is one; BPM_CORPUS_WRITE=1 adds new ones without reason,
which the test then names. Bounds are low here; `docs/explanation/exploration.md` has the figures of a full run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bpm.bpmn import read_file
from bpm.core.errors import DefinitionInvalid
from bpm.core.exploring import EVERYTHING, PLAIN, Bounds, Report, explore
from bpm.core.graph import Graph
from tests.support import corpus_scores
from tests.support.corpus import corpus_dir

BETSY = corpus_dir("betsy")
FEATURES = [one["file"] for one in json.loads((BETSY / "expected.json").read_text())["tests"]]
LIST = Path(__file__).parent / "exploring.json"
EXPECTED: dict[str, dict[str, dict[str, str]]] = json.loads(LIST.read_text()) if LIST.exists() else {}
SCRIPTS = frozenset({"groovy", "javascript", "python"})
AT_LEAST = {"betsy features": 85, "betsy constraints": 80, "operaton": 400, "miwg": 35}
"""Processes of a corpus that are explored to their end."""


def _graphs(folder: str, pattern: str, *, forced: bool = False) -> Iterator[tuple[str, Graph]]:
    root = corpus_dir(folder)
    for path in sorted(root.rglob(pattern)):
        try:
            file = read_file(path.read_bytes(), force_executable=forced, script_formats=SCRIPTS)
        except DefinitionInvalid:
            continue
        name = path.relative_to(root).as_posix()
        yield from ((name, one.graph) for one in file.processes if one.graph is not None)


def _betsy(*, features: bool) -> Iterator[tuple[str, Graph]]:
    return (found for found in _graphs("betsy", "*.bpmn") if (found[0] in FEATURES) == features)


CORPORA: dict[str, Any] = {
    "betsy features": lambda: _betsy(features=True),
    "betsy constraints": lambda: _betsy(features=False),
    "operaton": lambda: _graphs("operaton", "*.bpmn*"),
    "miwg": lambda: _graphs("miwg", "*.bpmn", forced=True),
}


def _explore(name: str) -> Iterator[tuple[str, Report]]:
    for file, graph in CORPORA[name]():
        yield file, explore(graph, EVERYTHING, Bounds(states=3_000))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", CORPORA)
def test_no_invariant_breaks_and_what_is_found_is_known(name: str) -> None:
    found: dict[str, dict[str, str]] = {}
    complete = processes = situations = 0
    for file, report in _explore(name):
        processes += 1
        complete += report.complete
        situations += report.states
        for finding in report.findings:
            assert finding.rule != "invariant-broken", (file, finding)
            key = f"{finding.rule} {finding.element}"
            found.setdefault(file, {})[key] = EXPECTED.get(name, {}).get(file, {}).get(key, "")
    if corpus_scores.writing():
        LIST.write_text(json.dumps(EXPECTED | {name: found}, indent=1, sort_keys=True) + "\n")
        EXPECTED[name] = found
    print(f"{name}: {complete} of {processes} processes explored to their end, {situations} situations")
    assert complete >= AT_LEAST[name]
    assert found == EXPECTED[name]
    assert [file for file, findings in found.items() if not all(findings.values())] == []


def test_a_plain_exploration_finds_the_same_faults_of_structure() -> None:
    """What a deployment warns of does not depend on work that fails or leases that expire."""
    for file, graph in _betsy(features=True):
        findings = explore(graph, PLAIN, Bounds(states=3_000)).findings
        known = {key for key in EXPECTED["betsy features"].get(file, {}) if not key.startswith("dead-node")}
        assert {f"{one.rule} {one.element}" for one in findings if one.rule != "dead-node"} == known, file
