from __future__ import annotations

import random

import pytest

from bpm.core.dominators import immediate_dominators
from tests.support.processor_time import processor_time

Successors = dict[str, list[str]]


def reachable(successors: Successors, without: str | None = None) -> set[str]:
    """Return what can be reached from the entry, one node taken away."""
    found: set[str] = set()
    stack = [""] if without != "" else []
    while stack:
        name = stack.pop()
        if name not in found and name != without:
            found.add(name)
            stack.extend(successors[name])
    return found


def by_definition(successors: Successors) -> dict[str, str]:
    """Return the immediate dominators: of all nodes without which a node is cut off, the one farthest in."""
    every = reachable(successors)
    cut = {name: every - reachable(successors, name) - {name} for name in every}
    above = {name: [other for other in every if name in cut[other]] for name in every}
    return {
        name: max(others, key=lambda other: len(above[other])) if (others := above[name]) else name
        for name in every
    }


def wired_at_random(seed: int) -> Successors:
    """Return a graph of up to twelve nodes, some of which nothing reaches."""
    source = random.Random(seed)
    names = [f"n{number}" for number in range(source.randint(0, 12))]
    made = {name: [source.choice(names) for _ in range(source.randint(0, 3))] for name in names}
    return {"": source.sample(names, min(len(names), source.randint(0, 2))), **made}


@pytest.mark.parametrize("seed", range(0, 400, 40))
def test_dominators_are_those_of_the_definition(seed: int) -> None:
    for one in range(seed, seed + 40):
        successors = wired_at_random(one)
        assert immediate_dominators(successors) == by_definition(successors)


def test_a_ladder_up_and_down_takes_no_time_to_speak_of() -> None:
    count = 20_000
    successors: Successors = {"": ["0", str(count - 1)]}
    for number in range(count):
        beside = (number - 1, number + 1)
        successors[str(number)] = [str(other) for other in beside if 0 <= other < count]
    with processor_time() as spent:
        assert set(immediate_dominators(successors).values()) == {""}
    # Iterating until nothing changes takes minutes.
    assert spent.seconds < 10
