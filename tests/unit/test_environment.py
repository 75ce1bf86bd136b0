from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from bpm.project.environment import Environment
from bpm.shell.configuration import engine_zone


@pytest.mark.parametrize(
    ("text", "expected"), [("1", True), ("Yes", True), ("off", False), ("", True), ("  ", True)]
)
def test_flag_reads_words_and_falls_back_to_its_default(text: str, expected: bool) -> None:
    assert Environment({"X": text}).flag("X", default=True) is expected


@pytest.mark.parametrize("text", ["2", "maybe", "-1"])
def test_flag_refuses_other_words_and_names_the_variable(text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"BPM_DEBUG=.*expected 1, true"):
        Environment({"BPM_DEBUG": text}).flag("BPM_DEBUG")


@pytest.mark.parametrize("text", ["0", "11", "1.5", "ten"])
def test_integer_refuses_what_is_out_of_bounds_and_names_them(text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"N=.*from 1 to 10"):
        Environment({"N": text}).integer("N", 5, low=1, high=10)


def test_integer_accepts_its_bounds_and_its_default() -> None:
    values = [Environment({"N": text}).integer("N", 5, low=1, high=10) for text in ("1", "10", "")]
    assert values == [1, 10, 5]


def test_words_split_at_commas_and_drop_empty_parts() -> None:
    assert Environment({"HOSTS": " a.example, ,b.example,"}).words("HOSTS") == ["a.example", "b.example"]


def test_choice_ignores_case_and_returns_the_documented_spelling() -> None:
    assert Environment({"MODE": "normal"}).choice("MODE", "FULL", ("FULL", "NORMAL")) == "NORMAL"


def test_choice_refuses_others_and_lists_the_choices() -> None:
    with pytest.raises(ImproperlyConfigured, match="one of FULL, NORMAL"):
        Environment({"MODE": "fast"}).choice("MODE", "FULL", ("FULL", "NORMAL"))


@pytest.mark.parametrize("text", ["Mars/Olympus", "../etc/passwd", "europe berlin"])
def test_zone_refuses_unknown_names(text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="IANA zone name"):
        Environment({"BPM_TIME_ZONE": text}).zone("BPM_TIME_ZONE")


def test_zone_accepts_a_known_name() -> None:
    assert Environment({"BPM_TIME_ZONE": "Europe/Berlin"}).zone("BPM_TIME_ZONE") == "Europe/Berlin"


@pytest.mark.parametrize("text", ["Mars/Olympus", "../etc/passwd", "Europe"])
def test_a_host_that_names_an_unknown_zone_is_told_which_setting(settings: Any, text: str) -> None:
    settings.BPM = {**settings.BPM, "TIME_ZONE": text}
    with pytest.raises(ImproperlyConfigured, match=r'BPM\["TIME_ZONE"\]=.*IANA zone name'):
        engine_zone()
