"""A deployment tells what can go wrong in its processes, and is never refused for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import override_settings

from bpm import engine
from bpm.core.values import from_text
from bpm.models import Definition
from tests.support.model import parse_model
from tests.support.model_xml import write_xml

pytestmark = pytest.mark.django_db(transaction=True)

DEADLOCK = "start s -> f\nxor f -> a [x], b [else]\nuser a -> j\nuser b -> j\npar j -> e\nend e"
SYNCHRONISATION = "start s -> f\npar f -> a, b\nuser a -> j\nuser b -> j\nxor j -> c\nuser c -> e\nend e"
SELF_FED = "start s -> j\npar j -> t\ntask t -> x\nxor x -> j [again], e [else]\nend e"
SOUND = "start s -> f\npar f -> a, b\nuser a -> j\nexternal b -> j\npar j -> e\nend e"


@pytest.fixture(autouse=True)
def _explored() -> Iterator[None]:
    with override_settings(BPM={"EXPLORE_STATES": 2_000, "EXPLORE_MS": 30_000}):
        yield


def _deploy(**models: str) -> dict[str, Any]:
    files = [(f"{key}.bpmn", write_xml(parse_model(text, key))) for key, text in models.items()]
    return engine.deploy(files, actor="test")


def test_warnings_have_rule_element_line_and_steps() -> None:
    answer = _deploy(p=DEADLOCK, q=SYNCHRONISATION, r=SOUND)
    assert all(one["new"] for one in answer["definitions"])
    first, second = answer["warnings"]
    assert (first["resource"], first["rule"], first["element"]) == ("p.bpmn", "deadlock", "j")
    assert first["line"] > 0
    assert list(first["trace"]) == ["the process is started: f takes f_a", "the user task a is completed"]
    assert (second["resource"], second["rule"], second["element"]) == (
        "q.bpmn",
        "lack-of-synchronisation",
        "j",
    )
    stored = from_text(Definition.objects.get(key="p").warnings)
    assert [warning["trace"] for warning in stored] == [list(first["trace"])]


def test_a_join_fed_by_its_own_loop_is_told_by_structure_and_by_steps() -> None:
    rules = {(one["rule"], one["element"]) for one in _deploy(p=SELF_FED)["warnings"]}
    assert rules == {("join-waits-for-itself", "j"), ("deadlock", "j")}


@pytest.mark.parametrize("off", [{"EXPLORE_MS": 0}, {"EXPLORE_STATES": 0}])
def test_it_can_be_switched_off(off: dict[str, int]) -> None:
    with override_settings(BPM=off):
        assert _deploy(p=DEADLOCK)["warnings"] == []


def test_a_process_too_large_to_explore_is_deployed_without_warning() -> None:
    tasks = "\n".join(f"task t{number} -> t{number + 1}" for number in range(1_100))
    answer = _deploy(p=f"start s -> t0\n{tasks}\npar t1100 -> e, t5\nend e")
    assert [one["rule"] for one in answer["warnings"]] == []


def test_what_was_told_by_structure_is_not_told_again() -> None:
    answer = _deploy(p="start s -> e\ntask lost -> other\ntask other -> lost\nend e")
    assert {one["rule"] for one in answer["warnings"]} == {"unreachable-node"}
