"""Variables of a process without inner scopes (semantics §9)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.errors import Invalid
from tests.support.play import Play

WAIT = "start s -> a\n user a -> e\n end e"


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1,
        2**63,
        10**40,
        1.5,
        Decimal("0.10"),
        "",
        "ü€😀",
        [],
        {},
        [1, [2, {"a": None}]],
        {"b": 1, "a": 2},
    ],
)
def test_a_value_comes_back_as_it_was_set(play: Play, value: Any) -> None:
    case = play.begin(WAIT, value=value)
    case.set(other=value)
    case.complete("a", third=value)
    assert case.variables() == {"value": value, "other": value, "third": value}
    assert [type(case.variables()[name]) for name in ("value", "other")] == [type(value)] * 2


def test_branches_share_the_variables_of_their_scope(play: Play) -> None:
    case = play.begin(
        """
        start s -> f
        par f -> a, b
        user a -> e
        user b -> e
        end e
    """,
        n=0,
    )
    case.complete("a", n=1)
    assert case.variables() == {"n": 1}
    case.complete("b", n=2)
    assert case.variables() == {"n": 2}
    assert [event.value for event in case.of(e.VariableSet)] == [0, 1, 2]


def test_variables_are_set_only_in_an_active_scope_of_the_instance(play: Play) -> None:
    case = play.begin(WAIT)
    with pytest.raises(Invalid):
        case.do(c.SetVariables(scope="01900000-0000-7000-8000-000000000000", variables={"n": 1}))
    case.do(c.SetVariables(scope=case.id, variables={"n": 1}, local=True))
    assert case.variables() == {"n": 1}


def test_setting_variables_moves_nothing(play: Play) -> None:
    case = play.begin("start s -> x\n xor x -> a [go], b [else]\n user a\n user b", go=False)
    case.set(go=True)
    assert case.at() == ["b"]
