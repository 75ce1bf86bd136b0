"""/health: for load balancers and supervisors."""

from __future__ import annotations

from datetime import datetime
from typing import Final, TypedDict

from django.db.models import Max
from rest_framework.request import Request
from rest_framework.response import Response

from api.documented import documented
from api.resource import Resource
from api.row_schema import schema_of
from bpm.models import Heartbeat

_TAG: Final = "health"


class HealthAnswer(TypedDict):
    """This process answers and reaches its database."""

    status: str
    last_tick_at: datetime | None


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
        """Return `ok` with the time of the newest tick of any loop; 503 without a database. One statement."""
        newest = Heartbeat.objects.aggregate(newest=Max("seen_at"))["newest"]
        return Response({"status": "ok", "last_tick_at": newest})
