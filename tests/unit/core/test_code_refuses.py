"""The code that would break an invariant refuses to: first of the three places that hold it (semantics §10)."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import pytest

from bpm.core import errors
from bpm.core import events as e
from bpm.core.evolve import evolve
from bpm.core.token import TokenStatus
from tests.support.core_host import CoreHost
from tests.support.pages import DOCS, text_of
from tests.support.play import Case, Play

_MOVING = frozenset(TokenStatus) - {TokenStatus.TERMINATED, TokenStatus.COMPLETED}
"""What "any live" means: nothing rests Completed without being final."""

MODEL = """
    start s -> f
    par f -> a, b
    user a -> j
    user b -> j
    par j -> q
    sub q -> x
      start qs -> u
      user u -> qe
      end qe
    end x
"""


def _documented() -> set[tuple[TokenStatus, TokenStatus]]:
    """Return the changes of the table in semantics §2."""
    page = text_of(DOCS / "reference" / "semantics.md")
    section = re.search(r"^## 2\. Tokens$(.*?)^## 3\.", page, re.MULTILINE | re.DOTALL)
    assert section is not None
    rows = [
        [cell.strip() for cell in line.split("|")[1:3]]
        for line in section[1].splitlines()
        if line.startswith("| ")
    ]
    found: set[tuple[TokenStatus, TokenStatus]] = set()
    for before, after in rows[2:]:
        if before == "–":
            continue
        sources = _MOVING if before == "any live" else map(TokenStatus, before.split(", "))
        remembered = (TokenStatus.READY, TokenStatus.WAITING, TokenStatus.FAILED)
        targets = remembered if after == "the remembered status" else (TokenStatus(after),)
        found |= set(product(sources, targets))
    return found


def _case() -> Case:
    return Play(CoreHost()).grow(MODEL)


def test_a_token_changes_as_the_table_says_and_in_no_other_way() -> None:
    case = _case()
    token, allowed = case.token("a"), _documented()
    assert len(allowed) > 20
    for before, after in product(TokenStatus, TokenStatus):
        start = token._replace(status=before)
        if (before, after) in allowed:
            assert start.transition(after).status is after
        else:
            with pytest.raises(errors.TokenInvalidTransition):
                start.transition(after)
        with pytest.raises(errors.TokenInvalidTransition):
            start._replace(final=True).transition(after)


def _apply(case: Case, event: e.Event) -> None:
    evolve(case.state, event, case.host.clock.now)


def test_a_final_token_is_never_final_again() -> None:
    case = _case()
    case.complete("a")
    (start,) = [event for event in case.of(e.TokenCompleted) if event.node == "f" and event.final]
    for event in (
        e.TokenTerminated(token=start.token, node="f", reason="end"),
        e.TokenCompleted(token=start.token, node="f", final=True),
    ):
        with pytest.raises(errors.TokenInvalidTransition):
            _apply(case, event)
    # Where a row changes without a transition: a join takes over what waits.
    opened = case.of(e.JoinOpened)[-1]
    with pytest.raises(errors.TokenFinalizedTwice):
        _apply(case, replace(opened, join="new", generation=2, tokens=(start.token,)))


def test_no_token_begins_in_a_scope_that_has_ended() -> None:
    case = _case()
    case.complete("a")
    case.complete("b")
    case.complete("u")
    (inner,) = [scope for scope in case.state.scopes.values() if scope.node == "q"]
    begun = case.of(e.TokenCreated)[-1]
    with pytest.raises(errors.OrphanToken):
        _apply(case, replace(begun, token="new", scope=inner.id))


def test_a_scope_does_not_end_around_what_lives() -> None:
    case = _case()
    case.complete("a")
    case.complete("b")
    assert len(case.state.scopes) == 2
    for scope in list(case.state.scopes.values()):
        for event in (
            e.ScopeCompleted(scope=scope.id, node=scope.node),
            e.ScopeTerminated(scope=scope.id, node=scope.node, reason="x"),
        ):
            with pytest.raises(errors.StrandedScope):
                _apply(case, event)
    # What lives may be an inner scope alone.
    root = case.state.scopes[case.id]
    assert root.live_scopes == 1
    case.state.scopes[case.id] = root._replace(live_tokens=0)
    with pytest.raises(errors.StrandedScope):
        _apply(case, e.ScopeCompleted(scope=root.id, node=root.node))


def test_a_join_that_has_fired_neither_fires_nor_closes_again() -> None:
    case = _case()
    case.complete("a")
    case.complete("b")
    (join,) = case.state.joins.values()
    for event in (
        e.JoinFired(join=join.id, node="j"),
        e.JoinClosed(join=join.id, node="j", reason="x"),
    ):
        with pytest.raises(errors.JoinFiredTwice):
            _apply(case, event)


def test_a_parallel_join_that_lacks_a_flow_does_not_fire() -> None:
    case = _case()
    case.complete("a")
    # A damaged state: the join believes that one more flow has come.
    state = case.state
    (join,) = state.joins.values()
    state.joins[join.id] = join._replace(arrived=2, expected=3)
    with pytest.raises(errors.JoinIncomplete):
        case.complete("b")
