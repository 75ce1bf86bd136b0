"""Diagrams: the file of a version, laid out where it draws nothing itself."""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from uuid import UUID

from bpm.bpmn.drawing import drawn_copy
from bpm.core.errors import DefinitionNotFound
from bpm.models import Definition
from bpm.queries.definitions import find_definition

_KEPT: Final = 64


def diagram(definition_id: str | UUID, *, tenant: str) -> bytes:
    """Return a BPMN file that draws this version. One statement, one more the first time a process needs it.

    Raises:
        DefinitionNotFound: there is none of this id in this tenant.
    """
    return _drawn(find_definition(definition_id, tenant=tenant).definition_id)


@lru_cache(maxsize=_KEPT)
def _drawn(definition: UUID) -> bytes:
    row = Definition.objects.filter(id=definition).values_list("key", "resource__content").first()
    if row is None:
        raise DefinitionNotFound(definition=str(definition))
    return drawn_copy(bytes(row[1]), row[0])
