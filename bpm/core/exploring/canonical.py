"""The same situation gives the same key, whatever ids, times and history it has.

Ids are replaced by numbers. Which one gets which number is decided by colours: what a row is, then what it refers to
and what refers to it, in a few rounds. Rows that cannot be told apart that way are numbered in order of creation: two
states may then get different keys though they are alike, which costs time; equal keys always mean equal situations.
Of the order of creation, what decides is kept: of tokens that wait on the same flow of a join, and of what can be
compensated. Variables do not matter but the engine's own counters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from bpm.core.exploring.live import Live
from bpm.core.ids import Id
from bpm.core.rows import Scope
from bpm.core.token import Token

_ROUNDS: Final = 3


class Key(NamedTuple):
    """A situation.

    Attributes:
        value: equal for equal situations; hashable.
        colours: id to colour; rows with the same colour can be exchanged for each other.
    """

    value: tuple[Any, ...]
    colours: Mapping[Id, int]


def key_of(live: Live, spent: Collection[Id]) -> Key:
    """Return the key of what lives in a state.

    Args:
        spent: rows of events that were caught as often as the exploration lets them.
    """
    described = _describe(live, spent)
    colours = _colours(described)
    order = sorted(described, key=lambda name: (colours[name], name))
    numbers = {name: number for number, name in enumerate(order)}
    rows = tuple(
        (described[name][0], tuple([(label, numbers.get(other, -1)) for label, other in described[name][1]]))
        for name in order
    )
    return Key((live.state.instance.status, *rows), colours)


Description = tuple[tuple[Any, ...], list[tuple[Any, Id]]]
"""What a row is without ids, and its references: label and id."""
Described = dict[Id, Description]


def _describe(live: Live, spent: Collection[Id]) -> Described:
    attached: dict[Id, list[tuple[Any, ...]]] = defaultdict(list)
    for owner, row_id, what in live.attached():
        attached[owner].append((*what, row_id in spent))
    found: Described = {}
    for scope in live.scopes:
        found[scope.id] = _scope(live, scope, _sorted(attached[scope.id]))
    for token in live.tokens:
        found[token.id] = _token(live, token, _sorted(attached[token.id]), spent)
    for join in live.joins:
        what = ("join", join.node, join.kind, join.flows, join.expected)
        found[join.id] = (what, [("scope", join.scope), ("group", join.group)])
    for rank, record in enumerate(live.records):
        what = ("record", record.node, record.handler or "", record.status, rank)
        names = ("scope", "inner", "throw", "waiter", "target", "opened")
        references = [(name, getattr(record, name)) for name in names if getattr(record, name) is not None]
        found[record.id] = (what, references)
    for _, references in list(found.values()):
        for _, other in references:
            # Groups of forks, and of what is compensated together, have no row of their own.
            found.setdefault(other, (("group",), []))
    return found


def _scope(live: Live, scope: Scope, attached: tuple[Any, ...]) -> Description:
    around = [("parent", scope.parent), ("outer", scope.outer_token)]
    what = ("scope", scope.node, scope.kind, scope.status, scope.closing, live.begun(scope))
    references: list[tuple[Any, Id]] = [(label, other) for label, other in around if other is not None]
    return (*what, live.variables(scope.id), attached), references


def _token(live: Live, token: Token, attached: tuple[Any, ...], spent: Collection[Id]) -> Description:
    what: tuple[Any, ...] = ("token", token.node, token.status, token.wait, token.flow or "")
    what = (*what, token.phase, token.mode, token.resumes_as or "", f"{token.id} {token.node}" in spent)
    references: list[tuple[Any, Id]] = [("scope", token.scope)]
    references += [(fork, group) for fork, group in token.groups.items() if fork in live.binding]
    if token.join is not None:
        references.append(("join", token.join))
        what = (*what, live.rank(token))
    return (*what, attached), sorted(references)


def _sorted(rows: list[tuple[Any, ...]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(sorted(rows)) if len(rows) > 1 else tuple(rows)


def _colours(described: Described) -> dict[Id, int]:
    colours = {name: hash(what) for name, (what, _) in described.items()}
    classes = len(set(colours.values()))
    for _ in range(_ROUNDS):
        if classes == len(colours):
            break
        referring: dict[Id, list[int]] = defaultdict(list)
        for name, (_, references) in described.items():
            for label, other in references:
                referring[other].append(hash((label, colours[name])))
        colours = {
            name: hash(
                (
                    colours[name],
                    tuple([(label, colours.get(other, 0)) for label, other in references]),
                    tuple(sorted(referring[name])) if name in referring else (),
                )
            )
            for name, (_, references) in described.items()
        }
        found = len(set(colours.values()))
        if found == classes:
            break
        classes = found
    return colours
