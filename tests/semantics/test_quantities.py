"""Activities that start with several tokens, or give several (semantics §4)."""

from __future__ import annotations

from bpm.core import commands as c
from tests.support.play import Play


def test_an_activity_starts_when_as_many_tokens_as_it_needs_have_come(play: Play) -> None:
    case = play.grow("""
        start s -> send
        task send gives=2 -> forward
        user forward -> receive
        user receive needs=2 -> x
        end x
    """)
    assert case.at() == ["forward", "forward"]
    case.complete("forward")
    assert case.at() == ["forward", "receive"]
    assert case.tasks("receive") == []
    (join,) = case.joins()
    assert (join.kind, join.arrived, join.expected) == ("quantity", 1, 2)
    case.complete("forward")
    assert case.at() == ["receive"]
    case.complete("receive")
    assert case.status == "COMPLETED"


def test_tokens_of_all_flows_and_groups_count_and_surplus_ones_wait(play: Play) -> None:
    case = play.grow("""
        start s -> f
        par f -> a, b, d
        user a -> g
        user b -> g
        user d -> g
        user g needs=2 -> x
        end x
    """)
    for node in ("d", "a", "b"):
        case.complete(node)
    assert len(case.tasks("g")) == 1
    assert case.at() == ["g", "g"]
    case.complete("g")
    assert case.status == "RUNNING"
    assert case.at() == ["g"]


def test_several_tokens_go_along_every_flow(play: Play) -> None:
    case = play.grow("""
        start s -> a
        task a gives=2 -> b, d
        user b
        user d
    """)
    assert case.at() == ["b", "b", "d", "d"]


def test_a_join_takes_one_of_several_tokens_per_flow(play: Play) -> None:
    case = play.grow("""
        start s -> f
        par f -> a, b
        task a gives=2 -> j
        user b gives=2 -> j
        par j -> x
        user x
    """)
    assert case.at() == ["b", "j", "j"]
    case.complete("b")
    assert case.at() == ["x", "x"]


def test_a_loop_around_it_gives_its_tokens_once(play: Play) -> None:
    case = play.grow("""
        start s -> a
        task a mi=3 gives=2 -> b
        user b needs=2 mi=2 -> x
        end x
    """)
    assert len(case.tasks("b")) == 2
    case.complete("b")
    case.complete("b")
    assert case.status == "COMPLETED"


def test_a_job_before_it_stands_behind_the_last_token(play: Play) -> None:
    case = play.grow("""
        start s -> send
        task send gives=2 -> b
        user b needs=2 before -> x
        end x
    """)
    assert case.at() == ["b"]
    assert case.job("b").kind == "before"
    play.run_due()
    assert len(case.tasks("b")) == 1


def test_what_could_not_begin_is_tried_again_with_all_its_tokens(play: Play) -> None:
    case = play.grow("""
        start s -> send
        task send gives=2 -> b
        script b needs=2 script="${missing}" -> after
        user after
    """)
    assert [incident.node for incident in case.incidents()] == ["b"]
    case.set(missing=1)
    case.retry("b")
    assert case.at() == ["after"]


def test_interrupting_the_scope_ends_what_has_gathered(play: Play) -> None:
    case = play.grow(
        """
        start s -> q
        sub q -> x
          start qs -> b
          user b needs=2
        boundary stop at=q message=stop -> y
        user y
    """.replace("-> x\n", "\n")
    )
    (row,) = [row for row in case.state.subscriptions.values() if row.status == "OPEN"]
    case.do(c.TriggerMessage(subscription=row.id))
    assert case.at() == ["y"]
    assert case.joins() == []
