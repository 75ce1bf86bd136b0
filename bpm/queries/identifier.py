"""Ids as they come from outside."""

from __future__ import annotations

from uuid import UUID

from bpm.core.errors import NotFound
from bpm.core.ids import is_id


def read_id(text: str | UUID, missing: type[NotFound], name: str) -> UUID:
    """Return the id.

    Args:
        missing: what is raised for text that is no id: a thing with such an id cannot be there.
        name: name of the id in the error.
    """
    if isinstance(text, UUID):
        return text
    if not is_id(text):
        raise missing(**{name: text[:100]})
    return UUID(text)


__all__ = ["is_id", "read_id"]
