"""/health: for load balancers and supervisors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.documented import documented
from api.resource import Resource
from api.row_schema import schema_of
from bpm import engine

_TAG: Final = "health"


@dataclass(frozen=True, slots=True)
class HealthAnswer:
    """This process answers and reaches its database.

    Attributes:
        loop_age_s: seconds since any loop gave its newest sign of life, None if none ever did.
        queue_age_s: seconds since a task last came through the queue, likewise.
        lag_ms: by how much the loops are behind the work that is due.
    """

    status: str
    loop_age_s: float | None
    queue_age_s: float | None
    lag_ms: int


class Health(Resource):
    """Whether this process can serve; needs no credentials and tells nothing else."""

    authentication_classes = ()
    permission_classes = ()

    @documented(
        "Ask whether this process can serve",
        tag=_TAG,
        name="getHealth",
        answer=schema_of(HealthAnswer),
        public=True,
    )
    def get(self, request: Request) -> Response:
        """Return `ok` with the age of the loops' signs of life; 503 without a database. One or two statements."""
        life = engine.signs_of_life()
        return Response(HealthAnswer("ok", life.loop_age_s, life.queue_age_s, life.lag_ms))
