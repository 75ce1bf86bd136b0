"""The fallback of joins: rounds of one fork that lose branches, against simple arithmetic (semantics §3)."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from bpm.core import events as e
from tests.support.core_host import CoreHost
from tests.support.model import parse_model
from tests.support.play import Case


def _model(rounds: int, branches: int) -> str:
    lines = ["start s -> g", f"par g -> {', '.join(['f'] * rounds)}"]
    lines.append(f"task f -> {', '.join(f'u{number}' for number in range(branches))}")
    for number in range(branches):
        lines.append(f"user u{number} -> x{number}")
        lines.append(f"xor x{number} -> j [keep], z [else]")
    return "\n".join([*lines, "par j -> c", "user c -> e", "end e", "end z"])


@st.composite
def _plays(draw: st.DrawFn) -> tuple[int, int, list[tuple[int, bool]]]:
    rounds, branches = draw(st.integers(1, 4)), draw(st.integers(2, 3))
    order = draw(st.permutations(range(rounds * branches)))
    kept = draw(st.lists(st.booleans(), min_size=len(order), max_size=len(order)))
    return rounds, branches, list(zip(order, kept, strict=True))


@given(_plays())
def test_in_the_end_a_join_has_fired_as_often_as_its_emptiest_flow_was_filled(
    play: tuple[int, int, list[tuple[int, bool]]],
) -> None:
    rounds, branches, moves = play
    host = CoreHost()
    host.deploy(parse_model(_model(rounds, branches)))
    case = Case(host, host.start("p"))
    tasks = [task for task in case.tasks() if task.node != "c"]
    filled = Counter({f"x{number}_j": 0 for number in range(branches)})
    groups = {token.id: token.parallel_group for token in case.live()}
    kept_of_round = Counter[str | None]()
    for index, keep in moves:
        case.finish(tasks[index], keep=keep)
        filled[f"x{tasks[index].node[1:]}_j"] += keep
        kept_of_round[groups[tasks[index].token]] += keep
    assert len(case.tasks("c")) == len(case.of(e.JoinFired)) == min(filled.values())
    assert Counter(token.flow for token in case.live("j")) == +Counter(
        {flow: number - min(filled.values()) for flow, number in filled.items()}
    )
    # A round that keeps all its branches fires by itself: no merge takes its tokens while they can still meet.
    whole = sum(number == branches for number in kept_of_round.values())
    assert len(case.of(e.JoinFired)) - len(case.of(e.JoinGroupsMerged)) == whole
