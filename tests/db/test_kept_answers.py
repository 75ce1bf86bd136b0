"""How long, and up to which size, the answer to an idempotent call is kept (semantics §11)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from typing import Any, Self

import pytest
from django.db.models import F

from bpm.core.errors import AnswerNotKept, IdempotencyMismatch, NotFound
from bpm.models import IdempotencyRecord
from bpm.shell import idempotency
from bpm.shell.heartbeats import clean
from bpm.shell.idempotency import MAX_ANSWER_BYTES, Idempotency, once

pytestmark = pytest.mark.django_db(transaction=True)

KEY = Idempotency("tester", "k", "f" * 64)
OTHER = Idempotency("tester", "other", "f" * 64)


def _counting(answer: Any) -> tuple[list[int], Callable[[], Any]]:
    calls: list[int] = []

    def produce() -> Any:
        calls.append(1)
        return answer

    return calls, produce


@pytest.mark.parametrize(("hours", "made"), [(23, 1), (25, 2)])
def test_an_answer_is_kept_for_a_day(hours: int, made: int) -> None:
    calls, produce = _counting({"n": 1})
    assert once(KEY, "", produce) == {"n": 1}
    IdempotencyRecord.objects.update(created_at=F("created_at") - timedelta(hours=hours))
    assert once(KEY, "", produce) == {"n": 1}
    assert len(calls) == made


@pytest.mark.postgresql
@pytest.mark.parametrize("off", [timedelta(days=-2), timedelta(days=2)])
def test_a_machine_whose_clock_is_wrong_neither_loses_nor_revives_answers(
    off: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wrong(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return super().now(tz) + off

    calls, produce = _counting({"n": 1})
    once(KEY, "", produce)
    monkeypatch.setattr(idempotency, "datetime", Wrong)
    once(KEY, "", produce)
    assert len(calls) == 1
    once(OTHER, "", produce)
    monkeypatch.undo()
    once(OTHER, "", produce)
    assert len(calls) == 2
    assert clean() == 0


def test_a_larger_answer_is_given_once_and_its_call_not_repeated() -> None:
    # Two quotation marks belong to the text.
    calls, produce = _counting("x" * (MAX_ANSWER_BYTES - 2))
    assert once(KEY, "", produce) == once(KEY, "", produce)
    assert len(calls) == 1
    larger, produce = _counting("x" * (MAX_ANSWER_BYTES - 1))
    other = Idempotency("tester", "l", "f" * 64)
    assert len(once(other, "", produce)) == MAX_ANSWER_BYTES - 1
    with pytest.raises(AnswerNotKept):
        once(other, "", produce)
    assert len(larger) == 1


def test_a_refusal_is_not_kept_and_a_key_is_ones_own() -> None:
    def refuse() -> None:
        raise NotFound(id="x")

    for _ in range(2):
        with pytest.raises(NotFound):
            once(KEY, "", refuse)
    calls, produce = _counting("done")
    assert once(KEY, "", produce) == "done"
    for other, tenant in ((Idempotency("else", "k", "f" * 64), ""), (KEY, "other")):
        assert once(other, tenant, produce) == "done"
    assert len(calls) == 3
    with pytest.raises(IdempotencyMismatch):
        once(Idempotency("tester", "k", "0" * 64), "", produce)
