"""Models of a peer engine's scenarios: refused where the peer refuses, else never for breaking a rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bpm.bpmn import read_file
from bpm.core.errors import DefinitionInvalid
from bpm.core.starts import StartWait, start_waits
from tests.support.corpus import corpus_dir

FOLDER = corpus_dir("operaton")
STARTS_ELSEWHERE = "event-message/MessageStartEventTest.testSameMessageNameFails 1"
"""Refused for what another process, deployed before, starts by: no file shows that by itself."""
NOT_YET = {"unsupported-element", "unsupported-attribute"}


def _steps(operation: str) -> dict[str, tuple[Path, ...]]:
    """Return the files of the scenarios' deployments, by scenario and step."""
    found: dict[str, tuple[Path, ...]] = {}
    for one in json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))["scenarios"]:
        scenario: dict[str, Any] = json.loads((FOLDER / one["file"]).read_text(encoding="utf-8"))
        for number, step in enumerate(scenario["steps"]):
            names = [name for name in step.get("resources", ()) if ".bpmn" in name]
            if step["op"] == operation and names:
                paths = tuple((FOLDER / one["file"]).parent / name for name in names)
                found[f"{one['file'].removesuffix('.json')} {number}"] = paths
    return found


def _rules(path: Path) -> set[str]:
    try:
        return {problem.rule for problem in read_file(path.read_bytes(), name=path.name).problems}
    except DefinitionInvalid as invalid:
        return {problem.rule for problem in invalid.problems}


DEPLOYED = sorted({path for paths in _steps("deploy").values() for path in paths})
REFUSED = _steps("expect_deploy_error")
ALONE = {name: paths for name, paths in REFUSED.items() if name != STARTS_ELSEWHERE}


@pytest.mark.parametrize("path", DEPLOYED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_the_peer_deploys_breaks_no_rule(path: Path) -> None:
    assert _rules(path) <= NOT_YET


@pytest.mark.parametrize("paths", ALONE.values(), ids=ALONE)
def test_what_the_peer_refuses_is_refused(paths: tuple[Path, ...]) -> None:
    assert any(_rules(path) for path in paths)


def test_starts_by_one_message_of_two_processes_are_seen_in_their_graphs() -> None:
    (refused,) = REFUSED[STARTS_ELSEWHERE]
    (before,) = _steps("deploy")[STARTS_ELSEWHERE.replace(" 1", " 0")]
    one, other = ({(wait.kind, wait.name) for wait in _waits(path)} for path in (before, refused))
    assert one & other == {("message", "newInvoiceMessage")}


def _waits(path: Path) -> list[StartWait]:
    graphs = [model.graph for model in read_file(path.read_bytes()).processes]
    return [wait for graph in graphs if graph is not None for wait in start_waits(graph)]
