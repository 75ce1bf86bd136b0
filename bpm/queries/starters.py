"""Processes that a person can start."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from bpm.core.errors import Refused
from bpm.models import Definition, DefinitionKey
from bpm.queries.visible import of_seen_definitions
from bpm.shell.definitions import graph_of

MAX_STARTERS = 500
_FIELDS = ("id", "key", "version", "name", "suspended")


@dataclass(frozen=True, slots=True)
class StarterRow:
    """The newest version of a process.

    Attributes:
        candidate_users, candidate_groups: who is meant to start it; anybody where both are empty.
        documentation: words of the model.
    """

    definition_id: UUID
    process_def_id: str
    version: int
    name: str
    suspended: bool
    candidate_users: tuple[str, ...]
    candidate_groups: tuple[str, ...]
    documentation: str


def list_starters(tenant: str) -> tuple[StarterRow, ...]:
    """Return the first 500 processes that have a start for people, by name.

    Statements: one, and one for each version that this process has never compiled.
    """
    latest = DefinitionKey.objects.filter(tenant=tenant, latest__isnull=False).values("latest")
    rows = Definition.objects.filter(id__in=latest, executable=True, deleted_at__isnull=True)
    found = of_seen_definitions(rows).order_by("name", "key").values_list(*_FIELDS)[:MAX_STARTERS]
    return tuple(starter for row in found if (starter := _starter(*row)) is not None)


def find_starter(process_def_id: str, tenant: str) -> StarterRow | None:
    """Return the newest version of a process if a person can start it. One or two statements."""
    latest = DefinitionKey.objects.filter(tenant=tenant, key=process_def_id, latest__isnull=False)
    rows = Definition.objects.filter(id__in=latest.values("latest"), executable=True, deleted_at__isnull=True)
    row = of_seen_definitions(rows).values_list(*_FIELDS).first()
    return None if row is None else _starter(*row)


def _starter(definition: UUID, key: str, version: int, name: str, suspended: bool) -> StarterRow | None:
    try:
        graph = graph_of(str(definition))
    except Refused:
        return None
    if not graph.root.starts:
        return None
    extras = graph.extras
    return StarterRow(
        definition,
        key,
        version,
        name or key,
        suspended,
        extras.get("candidate_starter_users", ()),
        extras.get("candidate_starter_groups", ()),
        extras.get("documentation", ""),
    )
