"""Operators may do anything at any time: every invariant holds, and only refusals are raised (semantics §12)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpm.core.context import Limits
from bpm.core.errors import Refused
from tests.support.core_host import CoreHost
from tests.support.inclusive_rule import waiting_without_reason
from tests.support.model import Model
from tests.support.play import Play
from tests.support.random_commands import possible_commands, useful_commands
from tests.support.random_models import structured_models, unstructured_models
from tests.support.random_operations import possible_operations
from tests.unit.core.test_random_compensation import AD_HOC, BRANCHES, TRANSACTIONS, commands

MOVES = st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 10_000)), min_size=1, max_size=25)
MOST = 60


def _run(model: Model, moves: list[tuple[int, int]]) -> None:
    host = CoreHost(limits=Limits(steps=40, passes=60))
    host.handlers["service", "h"] = host.handlers["script", "py"] = lambda work: None
    host.deploy(model)
    instance = host.start("p", {"x": moves[0][0] % 4, "y": moves[0][1] % 3})
    definition, graph = host.definition("p", 1)
    for choice, number in moves:
        state = host.state(instance)
        tried = useful_commands(state, number) if number % 3 == 0 else []
        tried = tried or possible_operations(graph, definition, state, number // 3)
        if number % 7 == 0:
            tried = possible_commands(state, number)
        try:
            host.execute(instance, tried[choice % len(tried)])
        except Refused:
            continue
        if host.state(instance).instance.suspended_because is None:
            assert list(waiting_without_reason(host.graph(instance), host.state(instance))) == []


@given(structured_models(), MOVES)
def test_nested_blocks_keep_every_invariant(model: Model, moves: list[tuple[int, int]]) -> None:
    _run(model, moves)


@given(unstructured_models(), MOVES)
def test_any_graph_keeps_every_invariant(model: Model, moves: list[tuple[int, int]]) -> None:
    _run(model, moves)


@pytest.mark.parametrize("saga", [None, "local"])
@pytest.mark.parametrize(
    "model", [BRANCHES, TRANSACTIONS, AD_HOC], ids=["branches", "transactions", "ad-hoc"]
)
@pytest.mark.parametrize("seed", range(12))
def test_subprocesses_loops_and_compensation_keep_every_invariant(
    model: str, saga: str | None, seed: int
) -> None:
    chance, host = random.Random(seed), CoreHost()
    case = Play(host).grow(model, saga=saga, items=[1, 2, 3], again=False)
    graph = host.graph(case.id)
    for _ in range(MOST):
        if case.state.instance.ended:
            break
        useful = list(commands(case, chance))
        number = chance.randrange(10_000)
        operations = possible_operations(graph, case.state.instance.definition, case.state, number)
        kind = chance.choice(sorted({type(one).__name__ for one in operations}))
        tried = [chance.choice([one for one in operations if type(one).__name__ == kind])]
        tried = chance.choice(useful) if useful and number % 2 else tried
        try:
            for command in tried:
                case.do(command)
        except Refused:
            continue
