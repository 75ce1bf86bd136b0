"""Complex gateways: activated by their condition, then reset when nothing can come late any more (semantics §3)."""

from __future__ import annotations

from bpm.core import events as e
from tests.support.play import Play

DISCRIMINATOR = """
    start s -> f
    par f -> a, b, d
    user a -> g
    user b -> g
    user d -> g
    complex g when="activationCount >= 2" -> x
    user x
"""


def test_it_is_activated_once_and_late_tokens_only_reset_it(play: Play) -> None:
    case = play.grow(DISCRIMINATOR)
    case.complete("a")
    assert case.at() == ["b", "d", "g"]
    case.complete("b")
    assert case.at() == ["d", "x"]
    (reset,) = case.joins()
    assert (reset.kind, reset.flows) == ("reset", ("d_g",))
    case.complete("d")
    assert case.at() == ["x"]
    assert case.joins() == []
    case.complete("x")
    assert case.status == "COMPLETED"


def test_a_scope_does_not_wait_for_a_reset_that_cannot_be_fed_any_more(play: Play) -> None:
    case = play.grow(
        DISCRIMINATOR.replace("user d -> g", "user d -> h\n    xor h -> g [late], e [else]\n    end e")
    )
    case.complete("a")
    case.complete("b")
    case.complete("x")
    case.complete("d", late=False)
    assert case.status == "COMPLETED"


def test_flows_can_tell_the_activation_from_the_reset(play: Play) -> None:
    case = play.grow(
        DISCRIMINATOR.replace("-> x\n", "-> x [waitingForStart], late [!waitingForStart]\n    user late\n")
    )
    case.complete("a")
    case.complete("b")
    assert case.at() == ["d", "x"]
    case.complete("d")
    assert case.at() == ["late", "x"]


def test_it_can_be_activated_again_after_a_reset(play: Play) -> None:
    case = play.grow("""
        start s -> m
        xor m -> f
        par f -> a, b
        user a -> g
        user b -> g
        complex g when="activationCount >= 1" -> x
        user x -> c
        xor c -> m [again], e [else]
        end e
    """)
    for again in (True, False):
        case.complete("a")
        assert case.at() == ["b", "x"]
        case.complete("b")
        case.complete("x", again=again)
    assert case.status == "COMPLETED"
    assert case.passed()["x"] == 2


def test_surplus_tokens_of_a_flow_wait_for_the_next_activation(play: Play) -> None:
    case = play.grow("""
        start s -> f
        par f -> a, b
        task a gives=2 -> g
        user b -> g
        complex g when="activationCount >= 1" -> x
        user x
    """)
    assert case.at() == ["b", "g", "x"]
    case.complete("b")
    assert case.at() == ["x", "x"]
    assert case.joins() == []


def test_the_number_counts_tokens_not_flows(play: Play) -> None:
    case = play.grow("""
        start s -> f
        par f -> a, b
        task a gives=2 -> g
        user b -> g
        complex g when="activationCount >= 3" -> x
        user x
    """)
    assert case.at() == ["b", "g", "g"]
    case.complete("b")
    assert case.at() == ["g", "x"]


def test_without_a_condition_every_flow_is_waited_for(play: Play) -> None:
    case = play.grow(DISCRIMINATOR.replace('when="activationCount >= 2" ', ""))
    for node in ("a", "b"):
        case.complete(node)
    assert case.at() == ["d", "g", "g"]
    case.complete("d")
    assert case.at() == ["x"]


def test_a_condition_that_cannot_be_evaluated_fails_the_token_that_came(play: Play) -> None:
    case = play.grow(DISCRIMINATOR.replace("activationCount >= 2", "activationCount >= needed"))
    case.complete("a")
    assert [(incident.kind, incident.node) for incident in case.incidents()] == [("ExpressionFailed", "g")]
    assert case.joins() == []
    case.set(needed=1)
    case.retry("g")
    assert case.at() == ["b", "d", "x"]


def test_alone_it_forks_as_an_inclusive_gateway(play: Play) -> None:
    model = """
        start s -> g
        complex g -> a [n > 1], b [n > 2], d [else]
        user a
        user b
        user d
    """
    assert play.grow(model, n=3).at() == ["a", "b"]
    assert play.grow(model, n=2).at() == ["a"]
    assert play.grow(model, n=1).at() == ["d"]
    failing = play.grow(model.replace(", d [else]", ", d [n > 3]"), n=0)
    assert [incident.kind for incident in failing.incidents()] == ["NoFlow"]


def test_what_goes_on_belongs_to_the_forks_around(play: Play) -> None:
    case = play.grow("""
        start s -> o
        par o -> f, y
        user y -> j
        par f -> a, b
        user a -> g
        user b -> g
        complex g when="activationCount >= 1" -> j
        par j -> z
        user z
    """)
    case.complete("y")
    case.complete("b")
    assert case.at() == ["a", "z"]
    case.complete("a")
    case.complete("z")
    assert case.status == "COMPLETED"
    assert len([event for event in case.of(e.JoinFired) if event.node == "j"]) == 1


def test_a_job_behind_the_gateway_does_not_make_a_reset_an_activation(play: Play) -> None:
    flows = "-> x [waitingForStart], late [!waitingForStart]\n    user late\n"
    case = play.grow(DISCRIMINATOR.replace("complex g", "complex g after").replace("-> x\n", flows))
    case.complete("a")
    case.complete("b")
    play.run_due()
    assert case.at() == ["d", "x"]
    case.complete("d")
    assert case.at() == ["g", "x"]
    play.run_due()
    assert case.at() == ["late", "x"]
