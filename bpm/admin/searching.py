"""How the lists find rows in big tables: ids by indexes, everything else among the newest rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet

from bpm.models import (
    ExternalTask,
    Incident,
    ParallelJoinState,
    ProcessInstance,
    Scope,
    Token,
    UserTask,
    UserTaskCandidate,
)
from bpm.queries.constant import Constant, constants
from bpm.queries.few import Among

NEWEST: Final = 10_000
"""Rows of a table that filters, and searches for what no index finds, look at."""

_HOMES: Final = (Token, Scope, ParallelJoinState, UserTask, ExternalTask, Incident)
_OWNER: Final = "instance"


def among_newest(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return the newest rows. One statement."""
    edge = _edge(rows)
    return rows if edge is None else rows.filter(pk__gte=edge)


def having_id(rows: QuerySet[Any], fields: tuple[str, ...], wanted: UUID) -> QuerySet[Any]:
    """Return the rows that have an id in one of the fields. At most ten statements, whatever is stored.

    A field with an index is looked up by it. Of the others: what an id stands for belongs to an instance, as do the
    rows that name it, and those of an instance are found by indexes. Without one, the newest rows are looked at.
    """
    model = rows.model
    indexed = [name for name in fields if name == "pk" or _conditions(model, name)]
    others = [name for name in fields if name not in indexed and name != _OWNER]
    ways = [way for name in indexed for way in _by_index(model, name, wanted)]
    if _OWNER in fields and _OWNER not in indexed:
        ways += _of_instance(model, wanted)
    owners = list(_owners(wanted)) if others and _OWNER in fields else []
    ways += [way & _any_of(others, wanted) for owner in owners for way in _of_instance(model, owner)]
    if others and not owners:
        ways.append(_any_of(others, wanted) & _newest(model))
    if not ways:
        return rows.none()
    # Each by itself: of a disjunction the planner makes a walk through the whole table in the order of the list.
    first, *rest = (model.objects.filter(way).order_by().values("pk") for way in ways)
    return rows.filter(Among("pk", first.union(*rest, all=True) if rest else first))


def _any_of(fields: list[str], wanted: UUID) -> Q:
    found = Q()
    for name in fields:
        found |= Q(**{name: wanted})
    return found


def _newest(model: Any) -> Q:
    edge = _edge(model.objects.all())
    return Q() if edge is None else Q(pk__gte=edge)


def _edge(rows: QuerySet[Any]) -> Any:
    return rows.order_by("-pk").values_list("pk", flat=True)[NEWEST - 1 : NEWEST].first()


def _owners(wanted: UUID) -> Iterator[UUID]:
    """Yield the instances whose rows may name an id: its own, or the one that has called the instance it stands for."""
    instance = ProcessInstance.objects.filter(pk=wanted).values_list("parent_instance", flat=True).first()
    if instance is not None:
        yield instance
    for home in _HOMES:
        owner = home.objects.filter(pk=wanted).values_list(_OWNER, flat=True).first()
        if owner is not None:
            yield owner
            return


def _of_instance(model: Any, owner: UUID) -> list[Q]:
    """Return the conditions that together give a model's rows of an instance."""
    if model is UserTaskCandidate:
        return [
            Q(Among("task", UserTask.objects.filter(way).values("id")))
            for way in _by_index(UserTask, _OWNER, owner)
        ]
    return _by_index(model, _OWNER, owner)


def _by_index(model: Any, name: str, wanted: UUID) -> list[Q]:
    """Return the conditions that together give the rows with an id in a field, one for each index that serves it."""
    return [Q(**{name: wanted}) & condition for condition in _conditions(model, name) or [Q()]]


def _conditions(model: Any, name: str) -> list[Q]:
    """Return the conditions of the indexes that begin with a field; an empty one where an index has none."""
    meta = model._meta  # noqa: SLF001 - Django's public _meta
    if name != "pk" and (meta.get_field(name).db_index or meta.get_field(name).unique):
        return [Q()]
    found = []
    for index in (*meta.indexes, *meta.constraints):
        if (getattr(index, "fields", None) or [None])[0] == name:
            condition = getattr(index, "condition", None)
            if condition is None:
                return [Q()]
            found.append(_written_out(condition))
    return found


def _written_out(condition: Q) -> Q:
    """Return a condition with its words in the statement's text: of parameters the planner proves nothing."""
    twin = Q(_connector=condition.connector, _negated=condition.negated)
    for child in condition.children:
        if isinstance(child, Q):
            twin.children.append(_written_out(child))
            continue
        path, value = child  # type: ignore[misc]
        if isinstance(value, str):
            value = Constant(value)
        elif isinstance(value, tuple | list):
            value = constants(*value)
        twin.children.append((path, value))
    return twin
