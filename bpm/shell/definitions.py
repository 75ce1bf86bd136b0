"""Definitions as commands need them: which version, and its compiled graph.

Graphs are immutable and kept for the life of the process, the least recently used ones dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from bpm import handlers
from bpm.bpmn import read_file
from bpm.core.errors import DefinitionInvalid, DefinitionNotFound, NotStartable
from bpm.core.graph import Graph
from bpm.core.ids import Id, is_id
from bpm.models import Definition
from bpm.shell.configuration import engine_zone
from bpm.shell.sql import dialect

_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class DefinitionRow:
    """What a start needs to know of a version."""

    id: Id
    tenant: str
    key: str
    version: int
    executable: bool
    suspended: bool


class Wanted(NamedTuple):
    """A version by key (the latest, or a number) or by id."""

    process: str
    version: int | None
    tenant: str


_known: dict[Wanted, DefinitionRow] = {}


def known_version(wanted: Wanted) -> DefinitionRow | None:
    """Return what this process last found, if it could be started then; by now that may be another version."""
    row = _known.get(wanted)
    return row if row is not None and row.executable and not row.suspended else None


def forget_versions() -> None:
    """Let the next start look for its version."""
    _known.clear()


def find(wanted: Sequence[Wanted]) -> tuple[datetime, list[DefinitionRow | DefinitionNotFound]]:
    """Return the database's clock, and for each wanted version its row or the refusal.

    Statements: 1.
    """
    arrays = [
        [number, one.tenant, None, None, one.process]
        if is_id(one.process)
        else [number, one.tenant, one.process, one.version, None]
        for number, one in enumerate(wanted)
    ]
    now, rows = dialect().read_definitions(arrays)
    found = {
        row[0]: DefinitionRow(row[1], row[2], row[3], row[4], bool(row[5]), bool(row[6])) for row in rows
    }
    if len(_known) > _KEPT:
        _known.clear()
    for number, row in found.items():
        _known[wanted[number]] = row
    return now, [found.get(number) or _not_found(one) for number, one in enumerate(wanted)]


def _not_found(one: Wanted) -> DefinitionNotFound:
    version = f" version {one.version}" if one.version is not None else ""
    return DefinitionNotFound(
        f"There is no process definition {one.process!r}{version}.", process=one.process
    )


def require_startable(row: DefinitionRow) -> None:
    """Refuse a version that cannot be started at all.

    Raises:
        NotStartable: not executable, or suspended.
    """
    if not row.executable:
        raise NotStartable(
            f'{row.key} version {row.version} is not executable (isExecutable="true" is missing).',
            process=row.key,
        )
    if row.suspended:
        raise NotStartable(f"{row.key} version {row.version} is suspended.", process=row.key)


@lru_cache(maxsize=_KEPT)
def graph_of(definition: Id) -> Graph:
    """Return the compiled graph of a version.

    Statements: 1 the first time a process asks for it, then 0.

    Raises:
        DefinitionNotFound: there is no such version.
        DefinitionInvalid: this release cannot execute it (it was deployed by another one).
    """
    row = Definition.objects.filter(id=definition).values_list("resource__content", "key").first()
    if row is None:
        raise DefinitionNotFound(definition=definition)
    content, key = row
    file = read_file(
        bytes(content),
        zone=engine_zone(),
        force_executable=True,
        script_formats=handlers.script_formats(),
        stored=True,
    )
    process = next(process for process in file.processes if process.key == key)
    if process.graph is None:
        raise DefinitionInvalid(process.problems)
    return process.graph
