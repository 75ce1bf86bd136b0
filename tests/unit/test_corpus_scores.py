"""Cases of a corpus are counted apart, and fewer that pass are noticed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import corpus_scores
from tests.support.corpus_scores import Later, Scores


@pytest.fixture
def scores(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Scores:
    monkeypatch.setattr(corpus_scores, "ALL", {})
    monkeypatch.setattr(corpus_scores, "SCORES_FILE", tmp_path / "expected.json")
    return Scores("suite", 4)


def _raise_later() -> None:
    raise Later("something")


def _fail(error: Exception) -> None:
    raise error


def _play(scores: Scores) -> None:
    with scores.case():
        pass
    with scores.case("a"):
        pass
    with scores.case():
        _raise_later()
    with pytest.raises(ValueError, match="broken"), scores.case():
        _fail(ValueError("broken"))


def test_each_outcome_is_counted_and_only_a_failure_goes_on(scores: Scores) -> None:
    _play(scores)
    assert scores.numbers() == {"passed": 1, "deviation": 1, "later": 1}
    assert scores.outcomes["failed"] == 1
    assert scores.complete


def test_fewer_passing_cases_than_committed_are_a_shortfall(scores: Scores) -> None:
    committed = {"suite": {"passed": 2, "deviation": 0, "later": 2}}
    corpus_scores.SCORES_FILE.write_text(json.dumps(committed))
    assert corpus_scores.shortfalls() == []
    _play(scores)
    assert corpus_scores.shortfalls() == ["suite: 1 passed, 2 are committed"]
    corpus_scores.write_committed()
    assert corpus_scores.shortfalls() == []
