"""The parallel join against plain token semantics, on every model that stays safe (semantics §3)."""

from __future__ import annotations

from collections import Counter

from hypothesis import assume, given
from hypothesis import strategies as st

from bpm.core.context import Limits
from tests.support.core_host import CoreHost
from tests.support.model import Model
from tests.support.play import Case
from tests.support.random_models import unstructured_models
from tests.support.token_game import TokenGame, Unsafe

KINDS = ("par", "par", "par", "user", "user", "xor", "task")
CONDITIONS = ("x == 0", "x == 1", "x == 2", "x != 1")
MODELS = unstructured_models(kinds=KINDS, conditions=CONDITIONS, unconditional=("par", "user", "task"))


def _compare(model: Model, moves: list[tuple[int, int]]) -> int:
    """Play the same moves on both; return how many were compared."""
    values = {"x": moves[0][1] % 3}
    truth = {f"x == {number}": (lambda n=number: values["x"] == n) for number in range(3)}
    truth["x != 1"] = lambda: values["x"] != 1
    try:
        game = TokenGame(model, lambda text: truth[text]())
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


@given(MODELS, st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=20))
def test_safe_models_behave_as_the_token_game_says(model: Model, moves: list[tuple[int, int]]) -> None:
    assume(_compare(model, moves) > 0)
