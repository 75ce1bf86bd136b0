"""/process-definitions/{id}/starts: what waits there to start instances."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.documented import documented
from api.kinds import INT64, Instant, Text, Variables, Whole
from api.resource import NOTHING, Resource, read_write_call
from api.row_schema import list_of, schema_of
from api.shapes import Field, Query, Shape
from api.start_answers import StartChanged, StartTriggered
from api.tenancy import tenant_of
from bpm import engine
from bpm.queries.starts import StartRow, list_starts

_TAG: Final = "process definitions"
_NONE: Final = Query()
CHANGE: Final = Shape(
    "ChangeStart",
    due_at=Field(Instant(), about="of a timer start"),
    priority=Field(Whole(-INT64, INT64), about="of a timer start; the highest fires first"),
)
TRIGGER: Final = Shape(
    "TriggerStart",
    business_key=Field(Text(0, 255)),
    variables=Field(Variables(), about="of the instance that starts"),
)


class DefinitionStarts(Resource):
    """The starts of a version."""

    @documented(
        "List the timers, messages, signals and conditions by which a version starts",
        tag=_TAG,
        name="listDefinitionStarts",
        query=_NONE,
        answer=list_of(StartRow),
    )
    def get(self, request: Request, definition_id: str) -> Response:
        """Return them all, timers with their next due times; a version that is not the latest has none."""
        _NONE.read(request.query_params)
        return Response(list_starts(definition_id, tenant=tenant_of(request)))


class DefinitionStart(Resource):
    """One of them."""

    @documented(
        "Let a timer start become due at another time, or fire before or after others",
        tag=_TAG,
        name="changeDefinitionStart",
        body=CHANGE,
        answer=schema_of(StartChanged),
        write=True,
    )
    def patch(self, request: Request, definition_id: str, start_id: str) -> Response:
        """Change it; an operator's act."""
        fields, context = read_write_call(request, CHANGE)
        return Response(engine.change_start(definition_id, start_id, **fields, **context))

    @documented(
        "Disarm a start: it starts nothing more until another version is deployed",
        tag=_TAG,
        name="disarmDefinitionStart",
        body=NOTHING,
        answer=schema_of(StartChanged),
        write=True,
    )
    def delete(self, request: Request, definition_id: str, start_id: str) -> Response:
        """Disarm it; an operator's act."""
        _, context = read_write_call(request, NOTHING)
        return Response(engine.disarm_start(definition_id, start_id, **context))


class DefinitionStartTrigger(Resource):
    """Doing what a start waits for."""

    @documented(
        "Start an instance now where a timer, message, signal or condition would",
        tag=_TAG,
        name="triggerDefinitionStart",
        body=TRIGGER,
        answer=schema_of(StartTriggered),
        write=True,
    )
    def post(self, request: Request, definition_id: str, start_id: str) -> Response:
        """Trigger it; an operator's act."""
        fields, context = read_write_call(request, TRIGGER)
        answer = engine.trigger_start(definition_id, start_id, **fields, **context)
        return Response(answer)
