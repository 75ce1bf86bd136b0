"""What the present caller may see; every list and look-up of this package shows nothing else.

It stands beside the arguments of the queries because it belongs to the request, not to the question: a page that asks
for a number of lists cannot forget it for one of them. Without a caller (loops, commands, tests) everything is seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, TypeVar

from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from bpm.models import UserTaskCandidate

Rows = TypeVar("Rows", bound=Model)
Names = frozenset[str] | None
"""Some names, or None for all of them."""


@dataclass(frozen=True, slots=True)
class Visibility:
    """What is seen.

    Attributes:
        keys: processes whose instances are seen with all that is in them.
        definitions: processes whose versions are seen.
        topics: external tasks that are seen besides.
        person: whose own and offered user tasks are seen besides; None for nobody's.
        groups: of this person.
        person_keys: processes in which they are.
    """

    keys: Names = None
    definitions: Names = None
    topics: Names = frozenset()
    person: str | None = None
    groups: frozenset[str] = frozenset()
    person_keys: Names = None


EVERYTHING: Final = Visibility()
_seen: ContextVar[Visibility] = ContextVar("seen", default=EVERYTHING)


@contextmanager
def seeing(visibility: Visibility) -> Iterator[None]:
    """Let queries inside see only this."""
    before = _seen.set(visibility)
    try:
        yield
    finally:
        _seen.reset(before)


def see(visibility: Visibility) -> None:
    """Let queries see only this, until the surrounding `seeing` ends."""
    _seen.set(visibility)


def visibility() -> Visibility:
    """Return what queries see now."""
    return _seen.get()


def of_seen_processes(rows: QuerySet[Rows], key: str) -> QuerySet[Rows]:
    """Return the rows of processes that are seen; `key` is the path to the definition's key. No statement."""
    keys = _seen.get().keys
    return rows if keys is None else rows.filter(_among(key, keys))


def of_seen_definitions(rows: QuerySet[Rows], key: str = "key") -> QuerySet[Rows]:
    """Return the versions that are seen. No statement."""
    keys = _seen.get().definitions
    return rows if keys is None else rows.filter(_among(key, keys))


def seen_timers(rows: QuerySet[Rows]) -> QuerySet[Rows]:
    """Return the timers, of instances and of starts, that are seen. No statement."""
    keys = _seen.get().keys
    if keys is None:
        return rows
    return rows.filter(_among("instance__definition_key", keys) | _among("definition__key", keys))


def seen_external_tasks(rows: QuerySet[Rows]) -> QuerySet[Rows]:
    """Return the external tasks that are seen. No statement."""
    seen = _seen.get()
    if seen.keys is None or seen.topics is None:
        return rows
    return rows.filter(_among("instance__definition_key", seen.keys) | _among("topic", seen.topics))


def seen_user_tasks(rows: QuerySet[Rows]) -> QuerySet[Rows]:
    """Return the user tasks that are seen. No statement."""
    seen = _seen.get()
    if seen.keys is None:
        return rows
    shown = _among("instance__definition_key", seen.keys)
    if seen.person is not None:
        shown |= _persons(seen)
    return rows.filter(shown)


def _persons(seen: Visibility) -> Q:
    offered = UserTaskCandidate.objects.filter(
        Q(kind="user", name=seen.person) | Q(kind="group", name__in=sorted(seen.groups)), task=OuterRef("pk")
    )
    to_all = Q(candidate_users="[]", candidate_groups="[]")
    theirs = (
        Q(assignee=seen.person) | Q(owner=seen.person) | Q(to_all | Exists(offered), assignee__isnull=True)
    )
    if seen.person_keys is None:
        return theirs
    return theirs & _among("instance__definition_key", seen.person_keys)


def _among(path: str, names: frozenset[str]) -> Q:
    return Q(**{f"{path}__in": sorted(names)})
