"""A look from kept states is a look from scratch, whatever came before it; what is kept stays bounded and honest."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from django.db import connection, transaction

from bpm import engine
from bpm.core.values import Erased
from bpm.models import HistoryEvent, ProcessInstance
from bpm.queries.replay import replay_at
from bpm.shell import folded_states as module
from bpm.shell.folded_states import FoldedStates
from bpm.shell.retention import changing_history
from bpm.shell.stored_history import fold
from tests.support.database_host import DatabaseHost
from tests.support.folding import contents
from tests.support.play import Case, Play
from tests.support.proof import rich_case, sql
from tests.support.statements import executed

pytestmark = pytest.mark.django_db(transaction=True)

_SPACING = 7
_PLENTY = 10_000


@pytest.fixture
def case() -> Iterator[Case]:
    host = DatabaseHost(checked=False)
    found = rich_case(Play(host))
    yield found
    host.close()


def _last(case: Case) -> int:
    return ProcessInstance.objects.values_list("last_sequence", flat=True).get(id=case.id)


def _agrees(states: FoldedStates, case: Case, cursor: int) -> None:
    found = states.at(case.id, cursor, _last(case))
    assert contents(found) == contents(fold(case.id, cursor)), cursor


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("max_rows", [_PLENTY, 150])
def test_any_order_of_looks_commands_and_erasures(case: Case, seed: int, max_rows: int) -> None:
    dice = random.Random(seed)
    states = FoldedStates(_SPACING, max_rows)
    for turn in range(60):
        what = dice.random()
        if what < 0.1:
            engine.set_variables(case.id, variables={"text": turn, "secret": f"number {turn}"})
        elif what < 0.15:
            engine.erase_personal_data(case.id, variables=[dice.choice(["text", "secret"])])
        else:
            _agrees(states, case, dice.randint(-1, _last(case)))
        assert states.rows <= max_rows
    assert states.rows


def test_a_look_behind_a_kept_state_reads_only_what_is_new(case: Case) -> None:
    states = FoldedStates(_SPACING, _PLENTY)
    last = _last(case)
    states.at(case.id, last, last)
    with executed() as found:
        states.at(case.id, last, last)
    *checks, events = found.statements
    assert len(checks) <= 2
    assert "payload" in events
    kept = (last + 1) // _SPACING * _SPACING - 1
    with executed() as found:
        states.at(case.id, kept, last)
    assert not any("payload" in text for text in found.statements)


def test_a_state_that_was_handed_out_is_not_what_is_kept(case: Case) -> None:
    states = FoldedStates(_SPACING, _PLENTY)
    for cursor in range(-1, _last(case) + 1):
        _agrees(states, case, cursor)
    for cursor in reversed(range(-1, _last(case) + 1)):
        _agrees(states, case, cursor)


def test_what_was_erased_since_is_not_shown_again(case: Case) -> None:
    states = FoldedStates(_SPACING, _PLENTY)
    _agrees(states, case, _last(case))
    first = next(
        row.sequence
        for row in HistoryEvent.objects.filter(instance__id=case.id, event_type="VariableSet").order_by(
            "sequence"
        )
        if '"secret"' in row.payload
    )
    cursor = first + _SPACING
    assert states.at(case.id, cursor, _last(case)).variables[case.id, "secret"].value == '"first"'
    engine.erase_personal_data(case.id, variables=["secret"])
    assert isinstance(states.at(case.id, cursor, _last(case)).variables[case.id, "secret"].value, Erased)
    _agrees(states, case, _last(case))


def test_an_erasure_here_empties_what_this_process_keeps(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    states = FoldedStates(_SPACING, _PLENTY)
    monkeypatch.setattr("bpm.shell.erasure.folded_states", states)
    _agrees(states, case, _last(case))
    assert states.rows
    engine.erase_personal_data(case.id)
    assert states.rows == 0


def test_events_that_were_rolled_back_leave_nothing_behind(case: Case) -> None:
    states = FoldedStates(_SPACING, _PLENTY)
    with transaction.atomic():
        engine.set_variables(case.id, variables={f"v{number}": "undone" for number in range(30)})
        _agrees(states, case, _last(case))
        transaction.set_rollback(True)
    engine.set_variables(case.id, variables={f"v{number}": "done" for number in range(30)})
    _agrees(states, case, _last(case))
    assert states.at(case.id, _last(case), _last(case)).variables[case.id, "v1"].value == '"done"'


def test_a_history_that_is_gone_is_not_shown(case: Case) -> None:
    states = FoldedStates(_SPACING, _PLENTY)
    last = _last(case)
    _agrees(states, case, last)
    with transaction.atomic(), changing_history():
        sql("DELETE FROM bpm_historyevent")
    assert states.at(case.id, last, last).tokens == {}
    assert states.rows == 0


def test_states_go_when_nobody_looks_and_when_others_need_the_room(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = rich_case(Play(DatabaseHost(checked=False)))
    states = FoldedStates(_SPACING, _PLENTY)
    _agrees(states, case, _last(case))
    one = states.rows
    _agrees(states, other, _last(other))
    assert states.rows > one
    monkeypatch.setattr(module, "LASTS_S", -1.0)
    _agrees(states, other, _last(other))
    assert states.rows < 2 * one
    monkeypatch.undo()
    small = FoldedStates(_SPACING, one + one // 2)
    for looked in (case, other, case):
        _agrees(small, looked, _last(looked))
        assert small.rows <= one + one // 2


def test_the_page_and_the_interface_ask_for_kept_states(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    states = FoldedStates(_SPACING, _PLENTY)
    monkeypatch.setattr("bpm.queries.replay.folded_states", states)
    replay_at(case.id, tenant="")
    assert states.rows
    assert not connection.in_atomic_block
