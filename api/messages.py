"""/messages."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import Correlated
from api.documented import documented
from api.kinds import Flag, Text, Variables, Whole
from api.narrowing import require_receiver
from api.resource import Resource, read_write_call
from api.row_schema import schema_of
from api.shapes import Field, Shape
from bpm import engine

MAX_TTL_MS: Final = 366 * 24 * 3_600_000
MESSAGE: Final = Shape(
    "SendMessage",
    name=Field(Text(), about="name of the message; without it something else says for whom it is"),
    business_key=Field(Text(0, 255), about="of the instance that waits, or of the one that is started"),
    correlation_keys=Field(
        Variables(), about="each a process variable, or the correlation key, of who waits"
    ),
    local_correlation_keys=Field(Variables(), about="each a variable of exactly the scope that waits"),
    instance_id=Field(Text(1, 36), about="the instance that waits"),
    process_def_id=Field(Text(), about="key or definition id of the only process that may start"),
    start_only=Field(Flag(), default=False, about="it starts an instance, whoever waits for it"),
    all=Field(Flag(), default=False, about="everybody who matches gets it; none is enough"),
    variables=Field(Variables(), about="set in the instance that gets it"),
    ttl_ms=Field(Whole(1, MAX_TTL_MS), about="without a receiver it waits that long for the first one"),
    message_id=Field(Text(), about="the same message again under it does nothing, for 24 hours"),
)


class Messages(Resource):
    """Sending messages."""

    @documented(
        "Send a message to who waits for it, or to what starts by it",
        tag="events",
        name="sendMessage",
        body=MESSAGE,
        answer=schema_of(Correlated),
        write=True,
    )
    def post(self, request: Request) -> Response:
        """Send it to exactly one receiver, or to all; 404 without one, 409 with several."""
        fields, context = read_write_call(request, MESSAGE)
        starts = fields["process_def_id"] if fields["start_only"] else None
        require_receiver(fields["instance_id"], starts)
        answer = engine.correlate(
            fields["name"],
            business_key=fields["business_key"],
            correlation_keys=fields["correlation_keys"],
            local_correlation_keys=fields["local_correlation_keys"],
            instance=fields["instance_id"],
            definition=fields["process_def_id"],
            start_only=fields["start_only"],
            all=fields["all"],
            variables=fields["variables"],
            ttl_ms=fields["ttl_ms"],
            message_id=fields["message_id"],
            **context,
        )
        return Response(answer)
