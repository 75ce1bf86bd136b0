"""Inclusive gateways: forks by conditions, joins by what can still come (semantics §3)."""

from __future__ import annotations

import pytest

from bpm.core import events as e
from tests.support.play import Play

SPLIT = """
    start s -> f
    or f -> a [x], b [y], c [z]
    user a -> j
    user b -> j
    user c -> j
    or j -> d
    user d -> e
    end e
"""


@pytest.mark.parametrize("taken", ["a", "b", "c", "ab", "bc", "ac", "abc"])
def test_a_join_waits_for_the_branches_that_were_taken_and_no_other(play: Play, taken: str) -> None:
    case = play.begin(SPLIT, x="a" in taken, y="b" in taken, z="c" in taken)
    assert case.at() == sorted(taken)
    for node in reversed(taken):
        assert "d" not in case.at()
        case.complete(node)
    assert case.at() == ["d"]
    assert len(case.of(e.JoinFired)) == 1


def test_no_true_condition_and_no_default_fails_the_token(play: Play) -> None:
    case = play.begin(SPLIT, x=False, y=False, z=False)
    assert [row.kind for row in case.incidents()] == ["NoFlow"]


@pytest.mark.parametrize(
    ("flows", "taken"),
    [
        ("a [false], b [else]", ["b"]),
        ("a [true], b [else]", ["a"]),
        ("a, b [else]", ["a"]),
        ("a, b [true], c [else]", ["a", "b"]),
        ("b [else], a [true]", ["a"]),
    ],
)
def test_the_default_is_taken_only_when_no_other_flow_is(play: Play, flows: str, taken: list[str]) -> None:
    case = play.begin(f"""
        start s -> f
        or f -> {flows}
        user a -> e
        user b -> e
        user c -> e
        end e
    """)
    assert case.at() == taken


def test_behind_an_exclusive_choice_a_join_does_not_wait(play: Play) -> None:
    model = """
        start s -> x
        xor x -> a [left], b [else]
        task a -> j
        task b -> j
        or j -> c
        user c -> e
        end e
    """
    for left in (True, False):
        assert play.begin(model, left=left).at() == ["c"]


def test_behind_a_parallel_fork_a_join_waits_for_all(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> a, b
        user a -> j
        user b -> j
        or j -> c
        user c -> e
        end e
    """)
    case.complete("b")
    assert case.at() == ["a", "j"]
    case.complete("a")
    assert case.at() == ["c"]


def test_a_token_that_turns_away_releases_the_join(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> a, b
        user a -> j
        user b -> x
        xor x -> j [back], z [else]
        or j -> c
        user c -> e
        end e
        end z
    """)
    case.complete("a")
    assert case.at() == ["b", "j"]
    case.complete("b", back=False)
    assert case.at() == ["c"]


def test_a_failed_token_that_could_come_holds_the_join(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> a, t
        user a -> j
        script t script="${missing}" -> j
        or j -> c
        user c -> e
        end e
    """)
    case.complete("a")
    assert (case.status, case.tokens()) == ("FAILED", {"j": "Waiting", "t": "Failed"})
    case.set(missing=1)
    case.retry("t")
    assert case.at() == ["c"]


def test_a_token_behind_the_join_does_not_hold_it(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> a, b
        user a -> j
        user b -> x
        xor x -> d [past], j [else]
        or j -> d
        user d -> e
        end e
    """)
    case.complete("b", past=True)
    assert case.at() == ["a", "d"]
    case.complete("a")
    assert case.at() == ["d", "d"]


def test_surplus_tokens_fire_again_at_once(play: Play) -> None:
    """Three tokens come by two flows: the oldest of each flow is consumed, the third fires alone."""
    case = play.begin("""
        start s -> f
        par f -> a, b, c
        user a -> m
        user b -> m
        xor m -> j
        user c -> j
        or j -> d
        user d -> e
        end e
    """)
    case.complete("a")
    case.complete("b")
    assert case.at() == ["c", "j", "j"]
    case.complete("c")
    assert case.at() == ["d", "d"]
    assert len(case.of(e.JoinFired)) == 2


def test_a_loop_through_the_join_fires_it_in_each_round(play: Play) -> None:
    case = play.begin("""
        start s -> j
        or j -> a
        user a -> x
        xor x -> j [again], e [else]
        end e
    """)
    assert case.at() == ["a"]
    case.complete("a", again=True)
    assert case.at() == ["a"]
    case.complete("a", again=False)
    assert case.status == "COMPLETED"
    assert len(case.of(e.JoinFired)) == 2


def test_a_token_that_may_come_round_again_holds_the_join(play: Play) -> None:
    """A token inside a loop can still reach the empty flow of a join behind the loop."""
    case = play.begin("""
        start s -> f
        par f -> a, m
        user a -> j
        xor m -> b
        user b -> x
        xor x -> m [again], j [else]
        or j -> c
        user c -> e
        end e
    """)
    case.complete("a")
    case.complete("b", again=True)
    assert case.at() == ["b", "j"]
    case.complete("b", again=False)
    assert case.at() == ["c"]


def test_an_output_that_has_not_left_its_join_can_still_come_round(play: Play) -> None:
    """The first firing waits in a job behind the join; its token can reach the empty flow, so the second must wait."""
    case = play.begin(
        """
        start s -> f
        par f -> a, b, w
        user a -> m
        user b -> m
        xor m -> j
        or j after -> x
        xor x -> k [again], e [else]
        task k -> l
        user l -> j
        user w -> e
        end e
    """,
        again=True,
    )
    case.complete("a")
    assert case.at() == ["b", "j", "w"]
    case.complete("b")
    assert len(case.of(e.JoinFired)) == 1
    assert case.at() == ["j", "j", "w"]
    play.run_due()
    assert case.at() == ["j", "l", "w"]
    case.complete("l", again=False)
    play.run_due()
    assert case.at() == ["w"]
    assert len(case.of(e.JoinFired)) == 2


def test_two_joins_in_a_row(play: Play) -> None:
    case = play.begin("""
        start s -> f
        or f -> a [true], b [true], c [true]
        user a -> h
        user b -> h
        or h -> j
        user c -> j
        or j -> d
        user d -> e
        end e
    """)
    case.complete("c")
    case.complete("a")
    assert case.at() == ["b", "h", "j"]
    case.complete("b")
    assert case.at() == ["d"]
    assert [event.node for event in case.of(e.JoinFired)] == ["h", "j"]


def test_joins_that_wait_for_each_other_fire_in_document_order(play: Play) -> None:
    case = play.begin(
        """
        start s -> f
        par f -> a, b
        user a -> i
        user b -> j
        or i -> x
        xor x -> j [around], e [else]
        or j -> y
        xor y -> i [around], e [else]
        end e
    """,
        around=False,
    )
    case.complete("b")
    assert case.at() == ["a", "j"]
    case.complete("a")
    assert [event.node for event in case.of(e.JoinFired)] == ["i", "j"]
    assert case.status == "COMPLETED"


def test_when_nothing_else_moves_a_token_that_can_reach_a_filled_flow_does_not_hold(play: Play) -> None:
    """The token at the parallel join could come by the empty flow, but by the filled one as well."""
    case = play.begin("""
        start s -> f
        par f -> a, b
        user a -> m
        user b -> q
        par q -> x
        task dead -> q
        xor x -> m [left], j [else]
        xor m -> j
        or j -> c
        user c -> e
        end e
    """)
    case.complete("a")
    assert case.at() == ["b", "j"]
    case.complete("b")
    assert case.at() == ["c", "q"]


def test_an_inclusive_join_after_an_implicit_fork(play: Play) -> None:
    case = play.begin("""
        start s -> t
        user t -> a, b [more]
        user a -> j
        user b -> j
        or j -> c
        user c -> e
        end e
    """)
    case.complete("t", more=False)
    case.complete("a")
    assert case.at() == ["c"]


def test_tokens_of_another_execution_of_the_fork_do_not_hold_the_join(play: Play) -> None:
    case = play.begin("""
        start s -> g
        par g -> m, n
        task m -> f
        task n -> f
        task f -> a [true], b [true]
        user a -> j
        user b -> j
        or j -> c
        user c -> e
        end e
    """)
    one, two = case.rounds()
    case.finish(one["b"])
    case.finish(two["a"])
    assert case.at() == ["a", "b", "j", "j"]
    case.finish(one["a"])
    assert case.at() == ["b", "c", "j"]
    case.finish(two["b"])
    assert case.at() == ["c", "c"]


def test_a_token_behind_a_link_can_still_come(play: Play) -> None:
    case = play.grow("""
        start s -> f
        or f -> a, b
        user a -> j
        user b -> away
        throw away link=far
        catch back link=far -> c
        user c -> j
        or j -> d
        user d
    """)
    case.complete("a")
    assert case.at() == ["b", "j"]
    case.complete("b")
    assert case.at() == ["c", "j"]
    case.complete("c")
    assert case.at() == ["d"]


def test_tokens_of_another_pass_of_the_fork_do_not_hold_a_join(play: Play) -> None:
    case = play.begin("""
        start s -> g
        par g -> p1, p2
        user p1 -> m
        user p2 -> m
        xor m -> f
        or f -> a [x], b [y]
        user a -> j
        user b -> j
        or j -> c
        user c -> e
        end e
    """)
    case.complete("p1", x=True, y=False)
    case.complete("p2", x=False, y=True)
    assert case.at() == ["a", "b"]
    case.complete("a")
    assert case.at() == ["b", "c"]
