from __future__ import annotations

import pytest

from bpm.worker import EngineUnavailable, Refused
from bpm.worker.backoff import Backoff
from bpm.worker.repetition import repeat_until_answered


def high(_: float, bound: float) -> float:
    return bound


def test_bounds_double_up_to_the_cap() -> None:
    backoff = Backoff(0.1, 1.0, uniform=high)
    assert [backoff.next_s() for _ in range(6)] == [0.1, 0.2, 0.4, 0.8, 1.0, 1.0]


def test_it_does_not_overflow() -> None:
    backoff = Backoff(0.1, 30.0, uniform=high)
    assert [backoff.next_s() for _ in range(2_000)][-1] == 30.0


def test_jitter_is_full() -> None:
    backoff = Backoff(1.0, 1.0)
    pauses = [backoff.next_s() for _ in range(400)]
    assert min(pauses) < 0.1
    assert max(pauses) > 0.9
    assert all(0 <= pause <= 1 for pause in pauses)


def test_the_engine_s_own_time_is_a_lower_bound() -> None:
    backoff = Backoff(0.1, 1.0)
    assert all(7.0 <= backoff.next_s(7.0) <= 7.1 for _ in range(50))


class Scripted:
    """A call that fails the given number of times."""

    def __init__(self, failures: int, retry_after_s: float | None = None) -> None:
        self.calls = 0
        self._failures = failures
        self._retry_after_s = retry_after_s

    def __call__(self) -> str:
        self.calls += 1
        if self.calls <= self._failures:
            raise EngineUnavailable(f"down {self.calls}", retry_after_s=self._retry_after_s)
        return "answer"


def repeat(call: Scripted, seconds: float) -> tuple[str, list[float]]:
    """Return the answer and the pauses; only they take time, whatever the machine does meanwhile."""
    pauses: list[float] = []
    answer = repeat_until_answered(
        call,
        backoff=Backoff(0.01, 0.05),
        left_s=lambda: seconds - sum(pauses),
        wait=pauses.append,
    )
    return answer, pauses


def test_it_repeats_until_answered() -> None:
    call = Scripted(4)
    answer, pauses = repeat(call, 5)
    assert answer == "answer"
    assert (call.calls, len(pauses)) == (5, 4)


def test_the_first_call_is_made_even_without_time() -> None:
    call = Scripted(1)
    with pytest.raises(EngineUnavailable, match="down 1"):
        repeat(call, -1)


def test_a_pause_longer_than_the_time_left_still_leaves_one_call() -> None:
    call = Scripted(1, retry_after_s=60)
    answer, (pause,) = repeat(call, 0.5)
    assert answer == "answer"
    assert 0.4 < pause < 0.5


def test_it_ends_with_the_last_error() -> None:
    call = Scripted(1_000)
    with pytest.raises(EngineUnavailable) as caught:
        repeat(call, 0.3)
    assert call.calls > 3
    assert caught.value.detail == f"down {call.calls}"


def test_refusals_are_not_repeated() -> None:
    calls: list[float] = []

    def refuse() -> None:
        calls.append(1)
        raise Refused("no")

    with pytest.raises(Refused):
        repeat_until_answered(refuse, backoff=Backoff(0.01, 0.01), left_s=lambda: 1.0, wait=calls.append)
    assert calls == [1]
