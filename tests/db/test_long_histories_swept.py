"""A long history in constant motion is verified again and again, but not each time from its first event for nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bpm import engine
from bpm.models import ProcessInstance, Verification
from bpm.shell.clock import frozen
from bpm.shell.verification_sweep import FREE_EVENTS, REST_PER_EVENT, verify_some
from tests.support.clock import START
from tests.support.loop_models import deploy, process
from tests.support.proof import in_table, sql

pytestmark = pytest.mark.django_db(transaction=True)

_EVENTS = 100
"""Events of one command: as many variables."""
_PACE = timedelta(seconds=10)
"""Time between two commands: the history grows by ten events a second."""


class _Growing:
    """An instance whose history grows, looked at by the sweep after every command."""

    def __init__(self) -> None:
        self.now = START
        self.folded: list[int] = []
        with frozen(self.now):
            deploy(process("p", "<userTask ID/>"))
            self.instance = str(engine.start("p")["instance_id"])

    def grow(self, commands: int) -> None:
        for _ in range(commands):
            self.now += _PACE
            values = {f"v{number}": f"{self.now}" for number in range(_EVENTS)}
            with frozen(self.now):
                engine.set_variables(self.instance, variables=values)
            self.sweep()

    def sweep(self) -> int:
        with frozen(self.now):
            swept = verify_some("test", seconds=60)
        assert swept is not None
        assert swept.round_over
        self.folded.append(swept.events)
        return swept.verified

    @property
    def length(self) -> int:
        return 1 + ProcessInstance.objects.values_list("last_sequence", flat=True).get(id=self.instance)

    @property
    def verified(self) -> int:
        rows = Verification.objects.filter(instance__id=self.instance)
        return 1 + rows.values_list("verified_through", flat=True).get()


def test_what_is_folded_grows_with_the_history_and_not_with_its_square() -> None:
    growing = _Growing()
    growing.grow(60)
    half, work = growing.length, sum(growing.folded)
    growing.grow(60)
    assert growing.length > 12_000
    # Each pass over what is short, the last one, and what its rest allows in the time that went by.
    short = sum(count for count in growing.folded if count <= FREE_EVENTS + _EVENTS)
    allowed = short + growing.length + (growing.now - START) / REST_PER_EVENT
    assert sum(growing.folded) <= allowed
    assert sum(growing.folded) <= 4 * growing.length
    # Twice the history, twice the work; were each pass to fold all, it would be four times.
    assert growing.length / half == pytest.approx(2, rel=0.02)
    assert sum(growing.folded) < 3 * work


def test_what_was_left_out_is_verified_once_it_has_rested() -> None:
    growing = _Growing()
    growing.grow(30)
    assert growing.verified < growing.length
    sql("UPDATE bpm_usertask SET name = 'x' WHERE instance_id = %s", in_table(growing.instance))
    looked = 0
    while not growing.sweep():
        looked += 1
        growing.now += timedelta(seconds=20)
        assert looked < 100
    assert ProcessInstance.objects.get(id=growing.instance).suspended_because == "invariant"


def test_a_short_history_is_verified_in_every_round() -> None:
    growing = _Growing()
    growing.grow(5)
    assert growing.verified == growing.length
    assert growing.sweep() == 0
    assert all(growing.folded[:-1])
