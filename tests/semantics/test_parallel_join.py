"""Parallel forks and joins within one key (semantics §3)."""

from __future__ import annotations

import itertools

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from tests.support.play import Play

TWO = """
    start s -> f
    par f -> a, b
    user a -> j
    user b -> j
    par j -> c
    user c -> e
    end e
"""


def test_the_branch_that_comes_first_waits_for_the_other_one(play: Play) -> None:
    case = play.begin(TWO)
    case.complete("a")
    (join,) = case.joins("j")
    assert (join.expected, join.arrived, join.generation, case.at()) == (2, 1, 1, ["b", "j"])
    case.complete("b")
    assert (case.at(), case.joins()) == (["c"], [])
    assert len(case.of(e.JoinFired)) == 1
    case.complete("c")
    assert case.status == "COMPLETED"


@pytest.mark.parametrize("order", list(itertools.permutations("abcd")))
def test_a_join_fires_once_whatever_the_order(play: Play, order: tuple[str, ...]) -> None:
    case = play.begin("""
        start s -> f
        par f -> a, b, c, d
        user a -> j
        user b -> j
        user c -> j
        user d -> j
        par j -> z
        user z -> e
        end e
    """)
    for node in order[:-1]:
        case.complete(node)
        assert "z" not in case.at()
    case.complete(order[-1])
    assert case.at() == ["z"]
    assert len(case.of(e.JoinFired)) == 1


def test_the_consumed_tokens_end_at_the_join_and_a_new_one_leaves_it(play: Play) -> None:
    case = play.begin(TWO)
    case.complete("a")
    case.complete("b")
    consumed = [event for event in case.of(e.TokenCompleted) if event.final and event.node == "j"]
    (output,) = [event for event in case.of(e.TokenCreated) if event.reason == "join"]
    assert len(consumed) == 2
    assert output.token not in {event.token for event in consumed}
    blocked = [event.token for event in case.of(e.TokenBlocked) if event.wait == "join"]
    assert sorted(blocked) == sorted(event.token for event in consumed)


def test_one_flow_taken_twice_never_fires_a_join_twice(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> f1:m, f2:m, f3:b
        xor m -> a
        task a -> j
        user b -> j
        par j -> c
        user c -> e
        end e
    """)
    assert case.at() == ["b", "j", "j"]
    (join,) = case.joins("j")
    assert (join.arrived, join.expected) == (1, 2)
    case.complete("b")
    assert case.at() == ["c", "j"]
    assert len(case.of(e.JoinFired)) == 1
    (join,) = case.joins("j")
    assert (join.arrived, join.generation) == (1, 2)
    case.complete("c")
    assert (case.status, case.at()) == ("RUNNING", ["j"])


def test_surplus_tokens_belong_to_the_next_generation(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> m, m, b, c
        xor m -> j
        user b -> n
        user c -> n
        xor n -> j
        par j -> d
        user d -> e
        end e
    """)
    assert case.at() == ["b", "c", "j", "j"]
    oldest = case.live("j")[0]
    case.complete("b")
    assert case.at() == ["c", "d", "j"]
    assert oldest.id not in [token.id for token in case.live()]
    case.complete("c")
    assert case.at() == ["d", "d"]
    assert [event.generation for event in case.of(e.JoinOpened)] == [1, 2]


def test_a_second_round_through_a_loop_counts_anew(play: Play) -> None:
    case = play.begin("""
        start s -> m
        xor m -> f
        par f -> a, b
        user a -> j
        user b -> j
        par j -> c
        user c -> x
        xor x -> m [again], e [else]
        end e
    """)
    case.complete("a")
    case.complete("b")
    case.complete("c", again=True)
    assert case.at() == ["a", "b"]
    case.complete("a")
    assert case.at() == ["b", "j"]
    (join,) = case.joins("j")
    assert (join.arrived, join.generation) == (1, 1)
    case.complete("b")
    case.complete("c", again=False)
    assert case.status == "COMPLETED"
    assert len(case.of(e.JoinFired)) == 2
    assert len({event.group for event in case.of(e.JoinOpened)}) == 2


def test_a_second_round_with_the_same_group_is_the_next_generation(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> a, b
        user a -> j
        user b -> j
        par j -> x
        xor x -> again [more], e [else]
        par again -> a, b
        end e
    """)
    for more in (True, False):
        case.complete("a", more=more)
        case.complete("b")
    assert case.status == "COMPLETED"
    opened = case.of(e.JoinOpened)
    assert [event.generation for event in opened] == [1, 2]
    assert len({event.group for event in opened}) == 1


def test_a_join_fed_only_by_its_own_loop_never_fires_and_can_be_seen(play: Play) -> None:
    case = play.begin("""
        start s -> a
        user a -> j
        par j -> t
        task t -> x
        xor x -> j [again], e [else]
        end e
    """)
    case.complete("a")
    assert (case.status, case.at()) == ("RUNNING", ["j"])
    (join,) = case.joins("j")
    assert (join.arrived, join.expected) == (1, 2)
    case.do(c.CancelInstance())
    assert case.status == "CANCELLED"


def test_a_branch_that_waits_for_the_outside_holds_the_join(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> t, w
        task t -> j
        timer w duration=PT1H -> j
        par j -> c
        user c -> e
        end e
    """)
    assert case.at() == ["j", "w"]
    play.pass_time("PT59M")
    assert case.at() == ["j", "w"]
    play.pass_time("PT1M")
    assert case.at() == ["c"]


def test_forks_nest_and_the_outer_groups_are_kept(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> g, c
        par g -> a, b
        user a -> h
        user b -> h
        par h -> d
        user d -> j
        user c -> j
        par j -> z
        user z -> e
        end e
    """)
    outer = {case.token(node).groups["f"] for node in "abc"}
    assert len(outer) == 1
    assert case.token("a").groups.keys() == {"f", "g"}
    case.complete("b")
    case.complete("c")
    case.complete("a")
    assert case.at() == ["d", "j"]
    assert {case.token("d").groups["f"]} == outer
    case.complete("d")
    assert case.at() == ["z"]


def test_a_fork_inside_a_loop_inside_a_fork(play: Play) -> None:
    case = play.begin(
        """
        start s -> f
        par f -> m, c
        xor m -> g
        par g -> a, b
        user a -> h
        user b -> h
        par h -> x
        xor x -> m [n < 3], j [else]
        user c -> j
        par j -> e
        end e
    """,
        n=0,
    )
    for number in (1, 2, 3):
        case.complete("a")
        case.complete("b", n=number)
    assert case.at() == ["c", "j"]
    assert len([event for event in case.of(e.JoinFired) if event.node == "h"]) == 3
    case.complete("c")
    assert case.status == "COMPLETED"


def test_a_gateway_that_joins_and_forks(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> a, b
        user a -> g
        user b -> g
        par g -> c, d
        user c -> j
        user d -> j
        par j -> e
        end e
    """)
    case.complete("b")
    assert case.at() == ["a", "g"]
    case.complete("a")
    assert case.at() == ["c", "d"]
    assert case.token("c").groups.keys() == {"f", "g"}
    case.complete("c")
    case.complete("d")
    assert case.status == "COMPLETED"


def test_a_fork_of_three_of_which_two_meet_first(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> a, b, c
        user a -> h
        user b -> h
        par h -> d
        user d -> j
        user c -> j
        par j -> e
        end e
    """)
    case.complete("a")
    case.complete("c")
    assert case.at() == ["b", "h", "j"]
    case.complete("b")
    assert case.at() == ["d", "j"]
    case.complete("d")
    assert case.status == "COMPLETED"


@pytest.mark.parametrize("source", ["task", "user", "or"])
def test_a_join_is_bound_to_a_fork_of_any_kind(play: Play, source: str) -> None:
    case = play.begin(f"""
        start s -> t
        {source} t -> a, b
        user a -> j
        user b -> j
        par j -> c
        user c -> e
        end e
    """)
    if source == "user":
        case.complete("t")
    group = case.token("a").parallel_group
    case.complete("a")
    assert case.joins("j")[0].group == group
    case.complete("b")
    assert case.at() == ["c"]


def test_a_join_without_a_fork_before_it_has_the_nil_group(play: Play) -> None:
    case = play.begin("""
        user a -> j
        user b -> j
        par j -> e
        end e
    """)
    case.complete("b")
    assert case.joins("j")[0].group == "00000000-0000-0000-0000-000000000000"
    case.complete("a")
    assert case.status == "COMPLETED"


def test_a_join_behind_an_exclusive_choice_of_a_branch_deadlocks_without_an_incident(play: Play) -> None:
    case = play.begin(
        """
        start s -> f
        par f -> x, b
        xor x -> j [go], z [else]
        user b -> j
        par j -> e
        end e
        end z
    """,
        go=False,
    )
    case.complete("b")
    assert (case.status, case.at(), case.incidents()) == ("RUNNING", ["j"], [])


def test_a_token_that_cannot_leave_its_join_keeps_what_the_join_consumed(play: Play) -> None:
    case = play.begin("""
        start s -> f
        or f -> a, b
        user a -> j
        user b -> j
        or j -> c [size > 3], d [else]
        user c -> e
        user d -> e
        end e
    """)
    case.complete("a")
    case.complete("b")
    assert case.tokens() == {"j": "Failed"}
    assert [row.kind for row in case.incidents()] == ["ExpressionFailed"]
    case.set(size=4)
    case.retry("j")
    assert case.at() == ["c"]
    assert len(case.of(e.JoinFired)) == 1


def test_a_failed_branch_holds_the_join_and_the_instance_is_failed(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> t, b
        script t script="${missing + 1}" -> j
        user b -> j
        par j -> c
        user c -> e
        end e
    """)
    assert case.status == "RUNNING"
    case.complete("b")
    assert (case.status, case.tokens()) == ("FAILED", {"t": "Failed", "j": "Waiting"})
    case.set(missing=1)
    case.retry("t")
    assert (case.status, case.at()) == ("RUNNING", ["c"])
