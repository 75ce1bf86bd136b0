"""Ids as they come from outside."""

from __future__ import annotations

import re
from uuid import UUID

from bpm.core.errors import NotFound

# Only the canonical form: UUID() itself would also take braces, URNs and dashes anywhere.
_CANONICAL = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def is_id(text: str) -> bool:
    """Return whether text is an id in its canonical form."""
    return _CANONICAL.fullmatch(text) is not None


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
