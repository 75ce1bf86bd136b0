"""Operations that a job does where they are too large for a request (semantics §4)."""

from __future__ import annotations

from typing import Any, Final

from rest_framework.response import Response

from api.kinds import Flag
from api.shapes import Field

ASYNC: Final[dict[str, Field]] = {
    "async": Field(Flag(), default=False, about="where it is too large for one request, a job does it: 202")
}


def postponable(answer: dict[str, Any]) -> Response:
    """Return the answer, as 202 where a job will do what was asked."""
    return Response(answer, status=202 if answer.get("postponed") else 200)
