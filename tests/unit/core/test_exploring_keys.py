"""The key of a situation depends on what there is, not on how it is called."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from bpm.bpmn import read_file
from bpm.core.commands import StartInstance
from bpm.core.context import Context, Limits
from bpm.core.decide import decide
from bpm.core.exploring.abstraction import Abstract, abstract
from bpm.core.exploring.canonical import key_of
from bpm.core.exploring.live import Live
from bpm.core.ids import IdSource
from bpm.core.state import TABLES, Instance, State
from tests.support.random_trees import random_trees

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ROOT = IdSource(NOW, 1).next()


def _started(file: bytes) -> tuple[Abstract, State]:
    (model,) = read_file(file).processes
    assert model.graph is not None
    process, state = abstract(model.graph), State(Instance(id=ROOT), everything=True)
    context = Context(now=NOW, ids=IdSource(NOW, 2), limits=Limits(steps=100, passes=50))
    for _ in process.oracle.runs():
        decide(process.graph, state, StartInstance(definition=ROOT), context)
        break
    return process, state


def _renamed(state: State, random: Random) -> State:
    """Return the state with its ids exchanged for each other at random, the instance's own excepted."""
    old = sorted(
        {row.id for name in TABLES for row in getattr(state, name).values() if hasattr(row, "id")} - {ROOT}
    )
    groups = {group for token in state.tokens.values() for group in token.groups.values()}
    groups |= {join.group for join in state.joins.values()}
    ids = [*old, *sorted(groups - {*old})]
    names = dict(zip(ids, random.sample(ids, len(ids)), strict=True))
    twin = State(state.instance, everything=True)
    for table in (*TABLES, "arrivals", "newest_joins"):
        rows = {_named(key, names): _named(row, names) for key, row in getattr(state, table).items()}
        setattr(twin, table, rows)
    return twin


def _named(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, tuple):
        items = [_named(item, names) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, dict):
        return {key: _named(item, names) for key, item in value.items()}
    return names.get(value, value) if type(value) is str else value


@given(random_trees(), st.integers(0, 2**32))
def test_other_ids_give_the_same_key(file: bytes, seed: int) -> None:
    process, state = _started(file)
    key = key_of(Live(process, state), ())
    assume(len(set(key.colours.values())) == len(key.colours))
    assert key_of(Live(process, _renamed(state, Random(seed))), ()).value == key.value


@given(random_trees())
def test_what_has_ended_does_not_matter(file: bytes) -> None:
    process, state = _started(file)
    live = Live(process, state)
    assert key_of(Live(process, live.copy()), ()).value == key_of(live, ()).value
