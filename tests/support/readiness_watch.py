"""Whether `/ready` tells the truth: asked all the time, and judged by what the database and the test itself know."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import httpx
from django.db import connection

from bpm import engine
from tests.support.children import eventually

LIMITS_S = {"loops": 3.5, "queue": 240.0}
"""By the documentation of `/ready`; written out here, so that a changed limit is noticed."""
RED_WITHIN_S = 5.0
_CLOSE_S = 0.25
"""So near to a limit both answers are right."""
_PAUSE_S = 0.25


@dataclass(frozen=True, slots=True)
class Answer:
    """What a web server said, with what was known before it was asked and after it had answered.

    Attributes:
        asked_at, answered_at: by this machine's monotonic clock, in seconds.
        status: of HTTP.
        checks: as answered.
        least_age_s, greatest_age_s: bounds of what each check's age was when the server looked; None: never seen.
    """

    port: int
    asked_at: float
    answered_at: float
    status: int
    checks: dict[str, str]
    least_age_s: dict[str, float | None]
    greatest_age_s: dict[str, float | None]

    def is_green(self, check: str = "loops") -> bool:
        """Return whether a check was well."""
        return self.checks.get(check) == "ok"


class ReadinessWatch(threading.Thread):
    """Asks one web server for `/ready` about four times a second; a server that is down answers nothing."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self._port = port
        self.enough = threading.Event()
        self.answers: list[Answer] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        """Ask until told to stop; whatever goes wrong is kept."""
        try:
            while not self.enough.wait(_PAUSE_S):
                self._ask()
        except BaseException as error:  # noqa: BLE001 - the test itself shows it
            self.error = error
        finally:
            connection.close()

    def has_asked(self, since: float) -> bool:
        """Return whether there is an answer to what was asked then or later."""
        return any(answer.asked_at >= since for answer in self.answers)

    def _ask(self) -> None:
        before, asked_at = _last_seen(0), time.monotonic()
        try:
            got = httpx.get(f"http://127.0.0.1:{self._port}/ready", timeout=30, trust_env=False)
        except httpx.TransportError:
            return
        answered_at = time.monotonic()
        after = _last_seen(1)
        self.answers.append(
            Answer(
                self._port,
                asked_at,
                answered_at,
                got.status_code,
                got.json()["checks"],
                {name: None if seen is None else asked_at - seen for name, seen in after.items()},
                {name: None if seen is None else answered_at - seen for name, seen in before.items()},
            )
        )


def _last_seen(bound: int) -> dict[str, float | None]:
    """Return when loops and queue gave their newest signs of life, by this machine's monotonic clock.

    Args:
        bound: 0 for the earliest instant that it can have been, 1 for the latest: a look takes time.
    """
    before, life, after = time.monotonic(), engine.signs_of_life(), time.monotonic()
    ages = {"loops": life.loop_age_s, "queue": life.queue_age_s}
    return {name: None if age is None else (before, after)[bound] - age for name, age in ages.items()}


def wait_for_red(is_green: Callable[[], bool | None], ended_at: float) -> None:
    """Ask until the answer is red; none may be green that was asked for five seconds after the loops' end or later.

    Args:
        is_green: asks; None where there is no answer.
        ended_at: by the monotonic clock.
    """

    def look() -> bool:
        asked_after_s = time.monotonic() - ended_at
        green = is_green()
        assert not green or asked_after_s < RED_WITHIN_S, f"green {asked_after_s:.1f} s after the loops' end"
        return green is False

    eventually(look, what="a red answer")


def wrong_answers(answers: Sequence[Answer], outages: Sequence[tuple[float, float]]) -> list[str]:
    """Return what was not true.

    Args:
        outages: from the kill of the last cluster to the start of the next, by the monotonic clock.
    """
    return [text for answer in answers for text in _faults(answer, outages)]


def _faults(answer: Answer, outages: Sequence[tuple[float, float]]) -> Iterator[str]:
    if (answer.status == 200) != all(found == "ok" for found in answer.checks.values()):
        yield f"{answer.status} with {answer.checks}"
    if answer.checks.get("database") != "ok" or answer.checks.get("migrations") != "ok":
        yield f"the database is well: {answer.checks}"
        return
    for name, limit in LIMITS_S.items():
        least, greatest = answer.least_age_s[name], answer.greatest_age_s[name]
        if greatest is not None and greatest < limit - _CLOSE_S and not answer.is_green(name):
            yield f"{name} were seen {greatest:.1f} s before: {answer.checks}"
        if (least is None or least > limit + _CLOSE_S) and answer.is_green(name):
            yield f"{name} were not seen for {least} s: {answer.checks}"
    for began, ended in outages:
        if began + RED_WITHIN_S <= answer.asked_at and answer.answered_at <= ended and answer.is_green():
            yield f"green {answer.asked_at - began:.1f} s after the last cluster's end"


def longest_red_s(answers: Sequence[Answer], outages: Sequence[tuple[float, float]]) -> float:
    """Return the longest time without a green answer for the loops, outages not counted."""
    longest, last_green = 0.0, None
    for answer in sorted(answers, key=lambda answer: answer.answered_at):
        if answer.is_green():
            if last_green is not None:
                down = sum(
                    max(0.0, min(ended, answer.answered_at) - max(began, last_green))
                    for began, ended in outages
                )
                longest = max(longest, answer.answered_at - last_green - down)
            last_green = answer.answered_at
    return longest
