"""Answers as JSON with exact numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any
from uuid import UUID

from rest_framework.renderers import BaseRenderer

from bpm.queries.exact_json import to_text


class ExactJson(BaseRenderer):
    """Writes frozen rows and JSON values; numbers keep every digit, keys are sorted."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """Return the ASCII text, nothing for None."""
        return b"" if data is None else to_text(as_json(data)).encode("ascii")


def as_json(value: object) -> object:
    """Return rows, and what is inside rows, lists and tuples, as JSON values; objects are values already."""
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if is_dataclass(value):
        return {spec.name: as_json(getattr(value, spec.name)) for spec in fields(value)}
    return value
