"""Process definitions: versions and files (semantics §12)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from bpm.core.errors import DefinitionNotFound
from bpm.core.values import from_text
from bpm.models import Definition, DefinitionKey
from bpm.queries.identifier import read_id
from bpm.queries.page import DEFAULT_LIMIT, Cursors, Page, whole_part
from bpm.queries.visible import of_seen_definitions

_CURSORS: Final = Cursors("definitions")
_FIELDS = (
    "id",
    "key",
    "version",
    "version_tag",
    "name",
    "deployment_id",
    "resource__name",
    "executable",
    "suspended",
    "tenant",
    "created_at",
    "deleted_at",
)


@dataclass(frozen=True, slots=True)
class DefinitionRow:
    """One version of one process.

    Attributes:
        process_def_id: the process's key, by which it is started.
        resource: name of the file it came from.
        executable: whether it can be started.
        deleted_at: since when it is only there for the history of its instances; such are in no list.
    """

    definition_id: UUID
    process_def_id: str
    version: int
    version_tag: str
    name: str
    deployment_id: UUID
    resource: str
    executable: bool
    suspended: bool
    tenant: str
    deployed_at: datetime
    deleted_at: datetime | None


@dataclass(frozen=True, slots=True)
class DefinitionDetail(DefinitionRow):
    """One version with what deployment warned of: `{resource, element, line, rule, message}` each."""

    warnings: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class DefinitionFile:
    """The file of a version, byte for byte as deployed."""

    name: str
    content: bytes


def list_definitions(
    tenant: str,
    *,
    process_def_id: str | None = None,
    latest: bool = False,
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> Page[DefinitionRow]:
    """Return versions by key, oldest first within a key. One statement.

    Args:
        process_def_id: versions of this process only.
        latest: newest version of each process only.

    Raises:
        CursorInvalid: the cursor is not one of this list.
    """
    rows = of_seen_definitions(Definition.objects.filter(tenant=tenant, deleted_at__isnull=True))
    if process_def_id is not None:
        rows = rows.filter(key=process_def_id)
    if latest:
        rows = rows.filter(Exists(DefinitionKey.objects.filter(latest=OuterRef("pk"))))
    if cursor is not None:
        key, version = _CURSORS.read(cursor, 2)
        rows = rows.filter(Q(key__gt=key) | Q(key=key, version__gt=whole_part(version)), key__gte=key)
    found = [
        DefinitionRow(*row) for row in rows.order_by("key", "version").values_list(*_FIELDS)[: limit + 1]
    ]
    return _CURSORS.page(found, limit, lambda row: (row.process_def_id, row.version))


def find_definition(definition_id: str | UUID, *, tenant: str) -> DefinitionDetail:
    """Return one version. One statement.

    Raises:
        DefinitionNotFound: there is none of this id in this tenant.
    """
    wanted = read_id(definition_id, DefinitionNotFound, "definition")
    rows = of_seen_definitions(Definition.objects.filter(id=wanted, tenant=tenant))
    row = rows.values_list(*_FIELDS, "warnings").first()
    if row is None:
        raise DefinitionNotFound(definition=str(wanted))
    values: list[Any] = [*row[:-1], tuple(from_text(row[-1]))]
    return DefinitionDetail(*values)


def definition_file(definition_id: str | UUID, *, tenant: str) -> DefinitionFile:
    """Return the file that a version came from. One statement.

    Raises:
        DefinitionNotFound: there is none of this id in this tenant.
    """
    wanted = read_id(definition_id, DefinitionNotFound, "definition")
    found = of_seen_definitions(Definition.objects.filter(id=wanted, tenant=tenant))
    row = found.values_list("resource__name", "resource__content").first()
    if row is None:
        raise DefinitionNotFound(definition=str(wanted))
    return DefinitionFile(row[0], bytes(row[1]))
