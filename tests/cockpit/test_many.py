"""What a page shows of very much stays small, and says that there is more."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest

from bpm import engine
from bpm.models import HistoryEvent
from bpm.queries.bounded import Bounded, bounded_count
from bpm.queries.timeline import timeline
from cockpit.templatetags.cockpit_words import count, span, status
from tests.cockpit.conftest import start
from tests.support.bpmn_text import bpmn, flows

MANY = bpmn(
    '<startEvent id="start"/><userTask id="sign"><multiInstanceLoopCharacteristics>'
    "<loopCardinality>230</loopCardinality></multiInstanceLoopCharacteristics></userTask><endEvent id='end'/>",
    flows("start sign", "sign end"),
    key="many",
)


@pytest.fixture
def many(db: None) -> str:
    engine.deploy([("many.bpmn", MANY)])
    return str(engine.start("many")["instance_id"])


def test_a_page_of_many_tokens_names_some_and_counts_the_rest(page: Callable[..., str], many: str) -> None:
    html = page("instance", many)
    assert html.count("<tr data-node=") == 200
    assert "further tokens" in html
    assert "further scopes" in page("variables", many)


def test_a_long_time_line_is_read_piece_by_piece(many: str) -> None:
    events = HistoryEvent.objects.filter(instance=uuid.UUID(many)).count()
    seen: list[int] = []
    after, more = -1, True
    while more:
        piece = timeline(many, tenant="", after=after, limit=100)
        assert len(piece.steps) <= 100
        seen += [step.sequence for step in piece.steps]
        after, more = seen[-1], piece.more
    assert seen == list(range(events))


def test_counts_stop_at_their_bound(deployed: None) -> None:
    for _ in range(4):
        start()
    events = HistoryEvent.objects.all()
    assert bounded_count(events, 10) == Bounded(10, True)
    assert bounded_count(events.filter(sequence=0), 4) == Bounded(4, False)
    assert count(Bounded(1_000, True)) == "1,000+"
    assert count(1_234_567) == "1,234,567"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.25, "250 ms"),
        (9.96, "10.0 s"),
        (59, "59 s"),
        (61, "1 min 1 s"),
        (3_661, "1 h 1 min"),
        (90_000, "1 day 1 h"),
    ],
)
def test_spans_are_said_by_their_two_largest_units(seconds: float, text: str) -> None:
    from datetime import timedelta

    assert span(timedelta(seconds=seconds)) == text


def test_an_unknown_status_is_shown_and_escaped() -> None:
    assert "&lt;b&gt;" in status("<b>")
