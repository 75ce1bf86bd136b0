"""/process-instances/{id}/replay, and sessions under /replay."""

from __future__ import annotations

from typing import Any, Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import Replay
from api.documented import documented
from api.kinds import Whole
from api.resource import NOTHING, Context, Resource, read_write_call
from api.row_schema import schema_of
from api.shapes import Field, Query, Shape
from api.tenancy import tenant_of
from bpm import engine
from bpm.engine import errors
from bpm.queries.replay import ReplayState, last_sequence, replay_at

_TAG: Final = "replay"
_NEWEST: Final = 2**31 - 1
_CURSOR: Final = Whole(-1, _NEWEST)
_NONE: Final = Query()
_STATE: Final = schema_of(ReplayState)
_SESSION: Final = schema_of(Replay)
AT: Final = Query(
    cursor=Field(_CURSOR, about="sequence of an event, -1 before the first; the newest if absent")
)
OPEN: Final = Shape(
    "OpenReplay", cursor=Field(_CURSOR, default=-1, about="where to begin, -1 before the first event")
)
STEP: Final = Shape(
    "StepReplay",
    events=Field(Whole(-_NEWEST, _NEWEST), default=1, about="how many to go on; a negative number goes back"),
)
SEEK: Final = Shape("SeekReplay", cursor=Field(_CURSOR, required=True))


def _principal(context: Context) -> dict[str, Any]:
    """Return whose session it is, and the idempotency key."""
    return {"tenant": context["tenant"], "principal": context["actor"], "key": context["key"]}


class InstanceReplay(Resource):
    """An instance as it was."""

    @documented(
        "Show an instance as it was after one of its events",
        tag=_TAG,
        name="replayProcessInstance",
        query=AT,
        answer=_STATE,
    )
    def get(self, request: Request, instance_id: str) -> Response:
        """Return the state, folded from the history; nothing is changed."""
        asked = AT.read(request.query_params)
        return Response(replay_at(instance_id, asked["cursor"], tenant=tenant_of(request)))

    @documented(
        "Begin to step through the events of an instance",
        tag=_TAG,
        name="openReplay",
        body=OPEN,
        answer=_SESSION,
        status=201,
        write=True,
    )
    def post(self, request: Request, instance_id: str) -> Response:
        """Open a session; it lasts an hour after its last use."""
        fields, context = read_write_call(request, OPEN)
        last = last_sequence(instance_id, tenant=context["tenant"])
        if fields["cursor"] > last:
            raise errors.Invalid(f"The events of this instance are 0 to {last}.", cursor=fields["cursor"])
        answer = engine.open_replay(instance_id, fields["cursor"], last, **_principal(context))
        return Response(answer, status=201)


class ReplayStep(Resource):
    """Going on."""

    @documented(
        "Go on, or back, by events", tag=_TAG, name="stepReplay", body=STEP, answer=_SESSION, write=True
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Move the cursor; it stops at both ends."""
        fields, context = read_write_call(request, STEP)
        return Response(engine.step_replay(session_id, fields["events"], **_principal(context)))


class ReplaySeek(Resource):
    """Going anywhere."""

    @documented("Go to an event", tag=_TAG, name="seekReplay", body=SEEK, answer=_SESSION, write=True)
    def post(self, request: Request, session_id: str) -> Response:
        """Set the cursor."""
        fields, context = read_write_call(request, SEEK)
        return Response(engine.seek_replay(session_id, fields["cursor"], **_principal(context)))


class ReplaySnapshot(Resource):
    """The state at the cursor."""

    @documented(
        "Show the instance as it was at the session's cursor",
        tag=_TAG,
        name="getReplaySnapshot",
        query=_NONE,
        answer=_STATE,
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Return the state, folded from the history."""
        _NONE.read(request.query_params)
        tenant = tenant_of(request)
        session = engine.find_replay(session_id, tenant=tenant, principal=request.user.get_username())
        return Response(replay_at(session["instance_id"], session["cursor"], tenant=tenant))


class ReplaySession(Resource):
    """A session."""

    @documented("Show a session", tag=_TAG, name="getReplay", query=_NONE, answer=_SESSION)
    def get(self, request: Request, session_id: str) -> Response:
        """Return where it stands."""
        _NONE.read(request.query_params)
        principal = request.user.get_username()
        return Response(engine.find_replay(session_id, tenant=tenant_of(request), principal=principal))

    @documented(
        "End a session", tag=_TAG, name="closeReplay", body=NOTHING, answer={}, status=204, write=True
    )
    def delete(self, request: Request, session_id: str) -> Response:
        """End it."""
        _, context = read_write_call(request, NOTHING)
        engine.close_replay(session_id, **_principal(context))
        return Response(status=204)
