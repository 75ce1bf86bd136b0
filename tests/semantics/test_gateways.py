"""Exclusive gateways and the outgoing flows of activities (semantics §3)."""

from __future__ import annotations

import pytest

from bpm.core import events as e
from tests.support.play import Play

CHOICE = """
    start s -> x
    xor x -> a [n > 10], b [n > 5], c [else]
    user a -> e
    user b -> e
    user c -> e
    end e
"""


@pytest.mark.parametrize(("number", "node"), [(11, "a"), (6, "b"), (5, "c")])
def test_the_first_true_flow_is_taken_else_the_default(play: Play, number: int, node: str) -> None:
    assert play.begin(CHOICE, n=number).at() == [node]


@pytest.mark.parametrize(
    "targets", ["d [else], a [true]", "a [true], d [else]", "d [else], a [true], d [true]"]
)
def test_a_default_flow_that_stands_first_is_still_the_last_to_be_taken(play: Play, targets: str) -> None:
    case = play.begin(f"""
        start s -> x
        xor x -> {targets}
        user a -> e
        user d -> e
        end e
    """)
    assert case.at() == ["a"]


def test_no_true_condition_and_no_default_fails_the_token_until_it_is_retried(play: Play) -> None:
    case = play.begin(
        """
        start s -> x
        xor x -> a [n > 10], a [n < 5]
        user a -> e
        end e
    """,
        n=7,
    )
    assert (case.status, case.tokens()) == ("FAILED", {"x": "Failed"})
    assert [(row.kind, row.node) for row in case.incidents()] == [("NoFlow", "x")]
    case.retry("x")
    assert (case.status, len(case.incidents())) == ("FAILED", 1)
    case.set(n=11)
    case.retry("x")
    assert (case.status, case.at(), case.incidents()) == ("RUNNING", ["a"], [])


def test_an_undefined_variable_in_a_condition_is_an_incident_and_never_the_default(play: Play) -> None:
    case = play.begin("""
        start s -> x
        xor x -> a [approved == true], b [else]
        user a -> e
        user b -> e
        end e
    """)
    assert (case.status, case.at()) == ("FAILED", ["x"])
    (incident,) = case.incidents()
    assert incident.kind == "ExpressionFailed"
    assert "approved" in incident.message


def test_a_missing_variable_is_null_in_feel(play: Play) -> None:
    case = play.begin("""
        start s -> x
        xor x -> a [=approved = null], b [else]
        user a -> e
        user b -> e
        end e
    """)
    assert case.at() == ["a"]


def test_a_condition_that_gives_no_boolean_fails_the_token(play: Play) -> None:
    case = play.begin(CHOICE.replace("n > 10", "n"), n="text")
    assert [row.kind for row in case.incidents()] == ["ExpressionFailed"]


def test_an_exclusive_merge_passes_every_token(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> a, b
        task a -> m
        task b -> m
        xor m -> c
        user c -> e
        end e
    """)
    assert case.at() == ["c", "c"]


@pytest.mark.parametrize("kind", ["task", "user", "external", "throw"])
def test_several_flows_into_a_node_that_is_no_join_pass_every_token(play: Play, kind: str) -> None:
    case = play.begin(f"""
        start s -> f
        par f -> a, b
        task a -> c
        task b -> c
        {kind} c -> d
        user d -> e
        end e
    """)
    for _ in range(2):
        if kind == "user":
            case.complete("c")
        elif kind == "external":
            (free,) = [row for row in case.state.external_tasks.values() if row.status == "READY"][:1]
            (leased,) = play.fetch("w", free.topic, maximum=1)
            case.work_leased(leased)
    assert case.at() == ["d", "d"]


@pytest.mark.parametrize(
    ("flows", "taken"),
    [
        ("a, b, c", ["a", "b", "c"]),
        ("a, b [true], c [false]", ["a", "b"]),
        ("a [true], b [true], c [else]", ["a", "b"]),
        ("a [false], b [false], c [else]", ["c"]),
        ("a, b [false], c [else]", ["a", "c"]),
        ("a, b, c [else]", ["a", "b", "c"]),
        ("a [false], b [true], c [false]", ["b"]),
    ],
)
@pytest.mark.parametrize("source", ["task", "throw", "user", "manual"])
def test_outgoing_flows_of_an_activity_or_event_are_a_fork(
    play: Play, source: str, flows: str, taken: list[str]
) -> None:
    case = play.begin(f"""
        start s -> t
        {source} t -> {flows}
        user a -> e
        user b -> e
        user c -> e
        end e
    """)
    if source == "user":
        case.complete("t")
    assert case.at() == taken
    groups = {token.parallel_group for token in case.live()}
    assert len(groups) == 1
    assert None not in groups


@pytest.mark.parametrize("source", ["task", "user", "external", "or", "throw"])
def test_an_activity_none_of_whose_flows_is_true_fails_behind_its_work(play: Play, source: str) -> None:
    case = play.begin(
        f"""
        start s -> t
        {source} t -> a [ok], b [ok]
        user a -> e
        user b -> e
        end e
    """,
        ok=False,
    )
    if source == "user":
        case.complete("t")
    elif source == "external":
        case.work("t")
    assert [row.kind for row in case.incidents()] == ["NoFlow"]
    assert case.status == "FAILED"
    case.set(ok=True)
    case.retry("t")
    assert case.at() == ["a", "b"]
    assert len(case.of(e.UserTaskCompleted)) == (source == "user")
    assert len(case.of(e.ExternalTaskCompleted)) == (source == "external")


def test_a_single_conditional_flow_is_taken_only_when_true(play: Play) -> None:
    model = "start s -> t\n task t -> a [ok]\n user a"
    assert play.begin(model, ok=True).at() == ["a"]
    assert play.begin(model, ok=False).tokens() == {"t": "Failed"}


def test_conditions_behind_a_parallel_gateway_are_ignored(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> a [false], b [missing.name]
        user a
        user b
    """)
    assert case.at() == ["a", "b"]


def test_a_fork_makes_a_new_group_even_when_only_one_flow_is_taken(play: Play) -> None:
    case = play.begin("""
        start s -> t
        task t -> a [true], b [false]
        user a -> e
        user b -> e
        end e
    """)
    (token,) = case.live()
    created = case.of(e.TokenCreated)
    assert [event.reason for event in created] == ["start", "fork"]
    assert token.groups == {"t": token.parallel_group}
