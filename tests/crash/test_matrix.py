"""Every statement is a place to die: whatever a killed process leaves, the next one finishes, and nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpm import engine
from tests.support.crash_matrix import Matrix
from tests.support.crash_stories import FILES, stories

pytestmark = [pytest.mark.crash, pytest.mark.timeout(600), pytest.mark.django_db(transaction=True)]
NAMES = [story.name for story in stories(Path())]


@pytest.mark.parametrize("name", NAMES)
def test_a_story_killed_at_any_statement_ends_as_if_nothing_had_happened(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine.deploy([(f"{number}.bpmn", file) for number, file in enumerate(FILES)])
    (story,) = [story for story in stories(tmp_path) if story.name == name]
    matrix = Matrix()
    matrix.run(story)
    with capsys.disabled():
        print(f"\n{name}: {matrix.summary()}")
    assert not matrix.failures, "\n".join(matrix.failures)
