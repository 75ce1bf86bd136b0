"""Joins whose tokens come from different executions of their fork: keys and the fallback (semantics §3)."""

from __future__ import annotations

from bpm.core import events as e
from tests.support.play import Play


def test_two_executions_of_one_fork_do_not_fill_each_others_join(play: Play) -> None:
    """Both states hold all flows together, but each can still fill alone."""
    case = play.begin("""
        start s -> g
        par g -> m, n
        task m -> f
        task n -> f
        task f -> a, b
        user a -> j
        user b -> j
        par j -> c
        user c -> e
        end e
    """)
    one, two = case.rounds()
    case.finish(one["a"])
    case.finish(two["b"])
    assert case.at() == ["a", "b", "j", "j"]
    assert [join.arrived for join in case.joins("j")] == [1, 1]
    case.finish(two["a"])
    assert case.at() == ["b", "c", "j"]
    case.finish(one["b"])
    assert (case.at(), case.of(e.JoinGroupsMerged)) == (["c", "c"], [])


def test_states_that_can_only_fill_together_are_merged(play: Play) -> None:
    """Two rounds of a fork, each of which sends one branch elsewhere."""
    case = play.begin("""
        start s -> g
        par g -> m, n
        task m -> f
        task n -> f
        task f -> a, b
        user a -> x
        xor x -> j [to_join], z [else]
        user b -> y
        xor y -> j [to_join], z [else]
        par j -> c
        user c -> e
        end e
        end z
    """)
    one, two = case.rounds()
    case.finish(one["a"], to_join=True)
    case.finish(one["b"], to_join=False)
    case.finish(two["b"], to_join=True)
    assert case.at() == ["a", "j", "j"]
    assert not case.of(e.JoinGroupsMerged)
    case.finish(two["a"], to_join=False)
    assert case.at() == ["c"]
    (merged,) = case.of(e.JoinGroupsMerged)
    assert len(merged.joins) == 2
    assert len(case.of(e.JoinFired)) == 1
    assert [event.reason for event in case.of(e.JoinClosed)] == ["merged"]
    (output,) = case.live()
    assert "f" not in output.groups
    assert output.groups.keys() == {"g"}


def test_several_forks_into_one_join(play: Play) -> None:
    """Two forks side by side whose branches meet in one join of four flows: no fork dominates it but the outer one."""
    case = play.begin("""
        start s -> o
        par o -> f, g
        par f -> a, b
        par g -> c, d
        user a -> j
        user b -> j
        user c -> j
        user d -> j
        par j -> z
        user z -> e
        end e
    """)
    for node in "dbca":
        assert "z" not in case.at()
        case.complete(node)
    assert case.at() == ["z"]
    assert case.token("z").groups.keys() == {"o"}


def test_branches_of_exclusive_alternatives_into_one_join(play: Play) -> None:
    """Either fork alone fills both flows of the join, through merges in front of it."""
    model = """
        start s -> x
        xor x -> f [left], g [else]
        par f -> a, b
        par g -> c, d
        user a -> m
        user c -> m
        user b -> n
        user d -> n
        xor m -> j
        xor n -> j
        par j -> z
        user z -> e
        end e
    """
    for left, nodes in ((True, "ab"), (False, "dc")):
        case = play.begin(model, left=left)
        for node in nodes:
            case.complete(node)
        assert case.at() == ["z"]
        assert not case.of(e.JoinGroupsMerged)


def test_merging_leaves_the_surplus_where_it_is(play: Play) -> None:
    """Three rounds: a, a and b arrive under three keys; one pair fires, the third token goes on waiting."""
    case = play.begin("""
        start s -> g
        par g -> f, f, f
        task f -> a, b
        user a -> x
        xor x -> j [keep], z [else]
        user b -> y
        xor y -> j [keep], z [else]
        par j -> c
        user c -> e
        end e
        end z
    """)
    kept = [("a", "b"), ("a", "b"), ("b", "a")]
    for tasks, (to_join, elsewhere) in zip(case.rounds(), kept, strict=True):
        case.finish(tasks[to_join], keep=True)
        case.finish(tasks[elsewhere], keep=False)
    assert case.at() == ["c", "j"]
    (left,) = case.joins("j")
    assert (left.arrived, left.expected) == (1, 2)
    case.complete("c")
    assert (case.status, case.at()) == ("RUNNING", ["j"])
