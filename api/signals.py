"""/signals."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import Signalled
from api.documented import documented
from api.kinds import Text, Variables
from api.narrowing import require_receiver
from api.request_errors import invalid
from api.resource import Resource, read_write_call
from api.row_schema import schema_of
from api.shapes import Field, Shape
from bpm import engine

SIGNAL: Final = Shape(
    "SendSignal",
    name=Field(Text(), required=True),
    variables=Field(Variables(), about="set in each instance that gets it"),
    instance_id=Field(Text(1, 36), about="only this instance gets it"),
    activity_id=Field(Text(), about="only what waits at this node of the instance gets it"),
)


class Signals(Resource):
    """Sending signals."""

    @documented(
        "Send a signal to all who wait for it, or to one instance",
        tag="events",
        name="sendSignal",
        body=SIGNAL,
        answer=schema_of(Signalled),
        write=True,
    )
    def post(self, request: Request) -> Response:
        """Send it; nobody is enough, unless it is for one instance."""
        fields, context = read_write_call(request, SIGNAL)
        if fields["activity_id"] is not None and fields["instance_id"] is None:
            raise invalid("/activity_id", "instance", "A node belongs to an instance: name that too.")
        require_receiver(fields["instance_id"], None)
        answer = engine.signal(
            fields["name"],
            variables=fields["variables"],
            instance=fields["instance_id"],
            activity=fields["activity_id"],
            **context,
        )
        return Response(answer)
