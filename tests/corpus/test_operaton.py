"""Behaviour scenarios of a peer engine, played step by step."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bpm.core.errors import Refused
from tests.corpus.operaton_player import OperatonPlayer
from tests.support.corpus import corpus_dir
from tests.support.corpus_scores import Scores
from tests.support.hosts import Host

FOLDER = corpus_dir("operaton")
FILES = [one["file"] for one in json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))["scenarios"]]
SCORES = {host: Scores(f"operaton on {host}", len(FILES)) for host in ("core", "database")}
DEVIATIONS: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "deviations.json").read_text())[
    "operaton"
]
TOP_FIELDS = {"id", "category", "source", "elements", "vendor", "steps", "inline_model", "adapted"}


@pytest.mark.parametrize("file", FILES, ids=[file.removesuffix(".json") for file in FILES])
def test_a_scenario_goes_as_on_the_peer(file: str, make_host: Callable[[], Host], host_name: str) -> None:
    scenario: dict[str, Any] = json.loads((FOLDER / file).read_text(encoding="utf-8"))
    assert scenario.keys() <= TOP_FIELDS
    deviation = DEVIATIONS.get(file.removesuffix(".json"))
    with SCORES[host_name].case(deviation["letter"] if deviation else None):
        player = OperatonPlayer(make_host(), (FOLDER / file).parent)
        for number, step in enumerate(scenario["steps"]):
            if deviation and number == deviation["step"]:
                _play_deviation(player, step, deviation)
                return
            try:
                player.play(step)
            except Exception as error:
                error.add_note(f"step {number}: {json.dumps(step)}")
                raise


def _play_deviation(player: OperatonPlayer, step: dict[str, Any], deviation: dict[str, Any]) -> None:
    """The scenario ends at the step in which the engine deliberately does something else, which is checked."""
    if deviation["letter"] == "a":
        assert player.accepted_with_incident(step), f"no incident instead of a refusal: {step}"
    elif "refused" in deviation:
        with pytest.raises(Refused) as refusal:
            player.play(step)
        assert refusal.value.code == deviation["refused"]
    else:
        with pytest.raises(AssertionError, match=deviation["instead"]):
            player.play(step)
