"""Models with scopes inside one another under any commands: every invariant holds after each (semantics §10).

The host folds the history again after every command, decides each twice, and checks all rules of the state.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpm.core.context import Limits
from bpm.core.errors import Refused
from tests.support.core_host import CoreHost
from tests.support.inclusive_rule import waiting_without_reason
from tests.support.random_moves import random_move
from tests.support.random_trees import random_trees

# Most of a minute on an idle machine.
pytestmark = pytest.mark.timeout(600)
MOVES = 20


@given(random_trees(), st.integers(0, 2**32))
def test_scopes_events_and_compensation_keep_every_invariant(file: bytes, seed: int) -> None:
    host, random = CoreHost(limits=Limits(steps=40, passes=60)), Random(seed)
    host.deploy(file)
    instance = host.start("p", {"x": random.randrange(4), "y": random.randrange(3), "list": [1, 2]})
    definition, graph = host.definition("p", 1)
    for _ in range(MOVES):
        for command in random_move(random, graph, definition, host.state(instance)):
            try:
                host.execute(instance, command)
            except Refused:
                break
        if host.state(instance).instance.suspended_because is None:
            assert list(waiting_without_reason(host.graph(instance), host.state(instance))) == []
