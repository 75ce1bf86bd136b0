"""The parallel join against plain token semantics, on every model that stays safe (semantics §3)."""

from __future__ import annotations

from collections import Counter

from hypothesis import assume, given
from hypothesis import strategies as st

from bpm.core.context import Limits
from tests.support.core_host import CoreHost
from tests.support.model import Model
from tests.support.play import Case
from tests.support.refined_models import refined_models
from tests.support.token_game import TokenGame, Unsafe, is_safe

CONDITIONS = ("x == 0", "x == 1", "x == 2", "x != 1")
MODELS = refined_models(CONDITIONS)
MOVES = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=20)


def _compare(model: Model, moves: list[tuple[int, int]]) -> int:
    """Play the same moves on both; return how many were compared."""
    values = {"x": moves[0][1] % 3}

    def truth(text: str) -> bool:
        operator, number = text.split()[1:]
        return (values["x"] == int(number)) is (operator == "==")

    try:
        game = TokenGame(model, truth)
    except Unsafe:
        return 0
    host = CoreHost(limits=Limits(steps=400, passes=400), checked=False)
    host.deploy(model)
    case = Case(host, host.start("p", values))
    compared = 0
    for choice, number in moves:
        _assert_same(case, game)
        compared += 1
        tasks = sorted(game.tasks.elements())
        if not tasks:
            break
        task = tasks[choice % len(tasks)]
        values["x"] = number % 3
        try:
            game.complete(task)
        except Unsafe:
            break
        case.complete(task, x=values["x"])
    return compared


def _assert_same(case: Case, game: TokenGame) -> None:
    waiting = Counter(token.flow for token in case.live() if token.join is not None)
    assert Counter(task.node for task in case.tasks()) == game.tasks
    assert waiting == +game.at_joins
    assert not case.incidents()


@given(MODELS, MOVES)
def test_safe_models_behave_as_the_token_game_says(model: Model, moves: list[tuple[int, int]]) -> None:
    assume(is_safe(model))
    assume(_compare(model, moves) > 0)
