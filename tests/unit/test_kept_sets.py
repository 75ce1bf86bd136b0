"""Working sets between commands: which are kept, for how long, and who gets them."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import pytest
from django.test import override_settings

from bpm.core.rows import Comment, ExternalTask, InstanceStatus, Variable
from bpm.core.state import Instance, State
from bpm.core.token import Token, TokenStatus, Wait
from bpm.shell.held import stand_of
from bpm.shell.kept_sets import MAX_AGE_S, MAX_CHARACTERS, MAX_VARIABLES, KeptSets, kept_sets
from bpm.shell.sql.queries import INSTANCES
from tests.support.clock import START


@pytest.fixture(autouse=True)
def passed(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds on the clock of this process, which only the test moves."""
    seconds = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: seconds[0])
    return seconds


def _state(instance: str, *tokens: str, everything: bool = True) -> State:
    state = State(Instance(id=instance), everything=everything)
    for token in tokens:
        state.put(state.tokens, token, _token(token))
    return state


def _token(token: str) -> Token:
    ready = TokenStatus.READY
    return Token(
        token, "s", "n", ready, Wait.NONE, False, None, {}, None, None, "forward", 0, "", None, START
    )


def test_a_set_is_found_by_its_instance_and_by_its_rows_and_goes_to_one() -> None:
    sets, state = KeptSets(), _state("i", "t")
    sets.keep([state])
    assert sets.take(INSTANCES, "i") is state
    assert sets.take(INSTANCES, "i") is None
    sets.keep([state])
    assert sets.take("tokens", "t") is state
    assert len(sets) == 0


def test_a_kept_set_has_no_past() -> None:
    state = _state("i", "t")
    state.fresh.add("t")
    KeptSets().keep([state])
    assert (state.journal, state.fresh) == ([], set())


def test_a_row_that_the_set_lacks_may_be_stored_all_the_same() -> None:
    sets = KeptSets()
    sets.keep([_state("i", "t")])
    sets.keep([_state("i")])
    assert sets.take("tokens", "t") is None
    sets.keep([_state("i", "t")])
    assert sets.take("user_tasks", "t") is None


def test_rows_made_since_are_found_too() -> None:
    sets, state = KeptSets(), _state("i", "t")
    sets.keep([state])
    assert sets.take(INSTANCES, "i") is state
    state.put(state.tokens, "u", state.tokens["t"]._replace(id="u"))
    sets.keep([state])
    assert sets.take("tokens", "u") is state


def test_partial_sets_and_ended_instances_are_not_kept() -> None:
    sets = KeptSets()
    sets.keep([_state("i", everything=False)])
    ended = _state("j")
    ended.instance.status = InstanceStatus.COMPLETED
    sets.keep([ended])
    assert len(sets) == 0


def test_a_set_that_is_old_is_gone(passed: list[float]) -> None:
    sets = KeptSets()
    sets.keep([_state("i", "t")])
    passed[0] += MAX_AGE_S
    assert sets.take("tokens", "t") is None
    assert len(sets) == 0


def test_only_so_many_rows_are_kept() -> None:
    sets = KeptSets()
    with override_settings(BPM={"KEPT_ROWS": 60}):
        for instance in "abcdef":
            sets.keep([_state(instance, f"{instance}1", f"{instance}2")])
        assert len(sets) == 5
        assert sets.take(INSTANCES, "a") is None
        assert sets.take("tokens", "f2") is not None
        sets.keep([_state("g", *map(str, range(20)))])
        assert sets.take(INSTANCES, "g") is not None
        sets.keep([_state("h", *map(str, range(600)))])
        assert sets.take(INSTANCES, "h") is None, "one may have no more than ten times as many"


def test_one_large_set_is_kept_beside_the_others() -> None:
    sets = KeptSets()
    with override_settings(BPM={"KEPT_ROWS": 60}):
        small, large, larger = (
            _state("s", "1"),
            _state("l", "2", *"abcdefghijklmnopqrstu"),
            _state("m", "3", *map(str, range(100, 200))),
        )
        sets.keep([small, large])
        assert sets.take_all("tokens", ["1", "a", "2"]) == {"1": small, "a": large, "2": large}
        assert len(sets) == 0
        sets.keep([small, large])
        sets.keep([larger])
        assert sets.take("tokens", "a") is None, "there is one place"
        assert sets.take("tokens", "150") is larger
        assert sets.take("tokens", "150") is None, "it was taken"
        assert sets.take("tokens", "1") is small


def test_none_are_kept_where_it_is_switched_off() -> None:
    sets = KeptSets()
    with override_settings(BPM={"KEPT_ROWS": 0}):
        sets.keep([_state("i")])
    assert len(sets) == 0


def test_all_or_none_of_a_list_are_taken() -> None:
    sets, one, other = KeptSets(), _state("i", "t", "u"), _state("j", "v")
    sets.keep([one])
    assert sets.take_all("tokens", ["t", "v"]) == {}
    sets.keep([other])
    assert sets.take_all("tokens", ["t", "v", "u"]) == {"t": one, "u": one, "v": other}
    assert len(sets) == 0


def test_threads_never_get_the_same_set() -> None:
    sets, turns, found = KeptSets(), 300, []
    start = threading.Barrier(4)

    def take() -> None:
        for turn in range(turns):
            start.wait(timeout=60)
            state = sets.take("tokens", f"t{turn}")
            if state is not None:
                found.append(stand_of(state).id)

    for turn in range(turns):
        sets.keep([_state(f"i{turn}", f"t{turn}")])
    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(found) == sorted(f"i{turn}" for turn in range(turns))


def test_long_texts_failures_and_comments_are_not_kept() -> None:
    sets = KeptSets()
    for name, size in (("short", 10), ("long", MAX_CHARACTERS + 1)):
        state = _state(name)
        state.variables["s", "v"] = Variable(scope="s", name="v", value="x" * size)
        sets.keep([state])
    assert len(sets) == 1
    many = _state("many")
    for number in range(MAX_VARIABLES + 1):
        many.variables["s", str(number)] = Variable(scope="s", name=str(number), value="1")
    told = _state("told")
    told.comments["c"] = Comment("c", "task", "n", "kim", "text", START)
    failed = _state("failed")
    values: list[Any] = [None] * len(ExternalTask._fields)
    task = ExternalTask._make(values)._replace(id="e", error="a long story")
    failed.put(failed.external_tasks, "e", task)
    sets.keep([many, told, failed])
    assert len(sets) == 1


def test_old_sets_go_when_the_next_is_kept(passed: list[float]) -> None:
    sets = KeptSets()
    sets.keep([_state("i"), _state("j")])
    passed[0] += MAX_AGE_S + 0.1
    sets.keep([_state("k")])
    assert len(sets) == 1


def test_a_set_that_is_of_no_more_use_takes_the_older_one_along() -> None:
    sets = KeptSets()
    sets.keep([_state("i", "t")])
    sets.keep([_state("i", "t", everything=False)])
    assert sets.take("tokens", "t") is None


@pytest.mark.parametrize("setting", [0, -1, None, "20000"])
def test_a_setting_that_is_no_number_keeps_nothing_and_breaks_nothing(setting: object) -> None:
    sets = KeptSets()
    with override_settings(BPM={"KEPT_ROWS": setting}):
        sets.keep([_state("i")])
    assert len(sets) == 0


def test_a_forked_process_has_none_and_waits_for_no_lock() -> None:
    kept_sets.keep([_state("i")])
    with kept_sets._lock:
        child = os.fork()
        if child == 0:
            os._exit(0 if kept_sets.take(INSTANCES, "i") is None else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    kept_sets.clear()
