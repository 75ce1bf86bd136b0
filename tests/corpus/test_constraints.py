"""Files that break a rule of the specification: refused with the element at fault, or deployed where that is better."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bpm.bpmn import BpmnFile, read_file
from tests.support.corpus import corpus_dir

FOLDER = corpus_dir("betsy", "constraints")
FILES: list[dict[str, Any]] = json.loads((FOLDER / "constraints.json").read_text(encoding="utf-8"))["files"]
NOT_YET = {"unsupported-element"}


def _names(verdict: str) -> list[str]:
    return [one["file"] for one in FILES if one["expected"] == verdict]


def _read(name: str) -> BpmnFile:
    return read_file((FOLDER / name).read_bytes(), name=name)


@pytest.mark.parametrize("name", _names("reject"))
def test_what_decides_how_a_process_runs_is_refused_by_a_rule_of_its_own(name: str) -> None:
    problems = [problem for problem in _read(name).problems if problem.rule not in NOT_YET]
    assert problems
    text = (FOLDER / name).read_text(encoding="windows-1252")
    for problem in problems:
        assert problem.line > 0
        assert f'id="{problem.element}"' in text or problem.rule == "missing-id"


@pytest.mark.parametrize("name", _names("accept"))
def test_what_has_no_effect_is_deployed(name: str) -> None:
    assert _read(name).problems == ()


@pytest.mark.parametrize("name", _names("either"))
def test_everything_else_is_read_without_a_crash(name: str) -> None:
    for model in _read(name).processes:
        assert (model.graph is None) == bool(model.problems or not model.executable)
