"""Any model under any commands: invariants, fold, determinism and refusals are checked each time (semantics §10)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpm.core.context import Limits
from bpm.core.errors import Refused
from tests.support.core_host import CoreHost
from tests.support.inclusive_rule import waiting_without_reason
from tests.support.model import Model
from tests.support.random_commands import possible_commands, useful_commands
from tests.support.random_models import structured_models, unstructured_models

# Most of a minute on an idle machine.
pytestmark = pytest.mark.timeout(600)
MOVES = st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 10_000)), min_size=1, max_size=25)
SPANS = (0, 0, 0, 0, 1, 6)


def _run(model: Model, moves: list[tuple[int, int]]) -> None:
    host = CoreHost(limits=Limits(steps=40, passes=60))
    host.handlers["service", "h"] = host.handlers["script", "py"] = lambda work: None
    host.deploy(model)
    instance = host.start("p", {"x": moves[0][0] % 4, "y": moves[0][1] % 3})
    for choice, number in moves:
        host.clock.advance(timedelta(seconds=SPANS[number % len(SPANS)]))
        state = host.state(instance)
        commands = useful_commands(state, number) if number % 4 < 3 else []
        commands = commands or possible_commands(state, number)
        try:
            host.execute(instance, commands[choice % len(commands)])
        except Refused:
            continue
        assert list(waiting_without_reason(host.graph(instance), host.state(instance))) == []


@given(structured_models(), MOVES)
def test_nested_blocks_keep_every_invariant(model: Model, moves: list[tuple[int, int]]) -> None:
    _run(model, moves)


@given(unstructured_models(), MOVES)
def test_any_graph_keeps_every_invariant(model: Model, moves: list[tuple[int, int]]) -> None:
    _run(model, moves)
