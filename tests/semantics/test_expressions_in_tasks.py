"""Script and service tasks that are evaluated in the command, and the variables they change (semantics §9)."""

from __future__ import annotations

from typing import Any

import pytest

from bpm.core import events as e
from tests.support.play import Play


@pytest.mark.parametrize(
    ("node", "variables"),
    [
        ("script t script=\"${execution.setVariable('n', 2)}\"", {"n": 2}),
        ('script t script="${1 + 2}" result=n', {"n": 3}),
        ('script t script="n0 + 1" format=juel result=n', {"n0": 1, "n": 2}),
        ('script t script="=n0 * 5" result=n', {"n0": 1, "n": 5}),
        ('script t script="if n0 > 0 then {a: n0} else null" format=feel result=n', {"n0": 1, "n": {"a": 1}}),
        ("service t expression=\"${execution.setVariable('n', n0)}\"", {"n0": 1, "n": 1}),
        ('service t expression="${n0 == 1}" result=n', {"n0": 1, "n": True}),
        ("service t expression=\"${execution.removeVariable('n0')}\"", {}),
        ('service t expression="${execution.currentActivityId}" result=n', {"n0": 1, "n": "t"}),
        (
            "service t expression=\"${execution.hasVariable('n0') and not execution.hasVariable('m')}\" result=n",
            {"n0": 1, "n": True},
        ),
        ("service t expression=\"${execution.getVariable('m') == null}\" result=n", {"n0": 1, "n": True}),
        ('service t expression="${execution.processBusinessKey}" result=n', {"n0": 1, "n": "k"}),
    ],
)
def test_an_expression_runs_in_the_command(play: Play, node: str, variables: dict[str, Any]) -> None:
    play.deploy(f"start s -> t\n {node} -> e\n end e")
    given = {"n0": 1} if "n0" in node or "n0" in variables else {}
    case = play.start(business_key="k", **given)
    assert (case.status, case.variables()) == ("COMPLETED", variables)


def test_the_instance_id_can_be_asked_for(play: Play) -> None:
    case = play.begin(
        'start s -> t\n service t expression="${execution.processInstanceId}" result=id -> a\n user a'
    )
    assert case.variables() == {"id": case.id}


@pytest.mark.parametrize(
    "script",
    [
        "${missing + 1}",
        "${execution.setVariable('n', 1)}${missing}",
        "${execution.setVariable('n', 1) == missing}",
        "=function(x) x",
    ],
)
def test_what_cannot_be_evaluated_leaves_no_trace_but_the_incident(play: Play, script: str) -> None:
    case = play.begin(f'start s -> t\n script t script="{script}" result=r -> e\n end e')
    assert (case.status, case.tokens(), case.variables()) == ("FAILED", {"t": "Failed"}, {})
    assert [row.kind for row in case.incidents()] == ["ExpressionFailed"]
    assert case.of(e.VariableSet) == []


def test_effects_are_undone_when_the_way_out_cannot_be_found(play: Play) -> None:
    case = play.begin(
        """
        start s -> t
        script t script="${execution.setVariable('n', n + 1)}" -> a [n > limit]
        user a
    """,
        n=1,
    )
    assert (case.tokens(), case.variables()) == ({"t": "Failed"}, {"n": 1})
    case.set(limit=1)
    case.retry("t")
    assert (case.at(), case.variables()) == (["a"], {"n": 2, "limit": 1})


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 256])
def test_a_name_that_cannot_be_stored_fails_the_token(play: Play, name: str) -> None:
    case = play.begin(
        """
        start s -> t
        script t script="${execution.setVariable(name, 1)}" -> e
        end e
    """,
        name=name,
    )
    assert [row.kind for row in case.incidents()] == ["ExpressionFailed"]
    assert case.variables() == {"name": name}


def test_integers_keep_every_digit(play: Play) -> None:
    big = 9007199254740993
    case = play.begin("""
        start s -> a
        user a -> t
        script t script="${n + 1}" result=m -> b
        user b
    """)
    case.complete("a", n=big)
    assert case.variables() == {"n": big, "m": big + 1}


def test_a_script_of_another_format_needs_a_handler(play: Play) -> None:
    case = play.begin("start s -> t\n script t format=python script=pass -> e\n end e")
    assert [row.kind for row in case.incidents()] == ["NoHandler"]
    play.handle("script", "python", lambda work: {"done": work.node.id})
    case.retry("t")
    play.run_due()
    assert (case.status, case.variables()) == ("COMPLETED", {"done": "t"})
