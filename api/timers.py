"""/timers: what is waited for in time."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import TimerChanged
from api.documented import documented
from api.kinds import INT64, Flag, Identifier, Instant, Whole
from api.paging import list_query, split_page
from api.resource import NOTHING, Resource, read_write_call
from api.row_schema import page_of, schema_of
from api.shapes import Field, Shape
from api.tenancy import tenant_of
from bpm import engine
from bpm.queries.timers import TimerRow, list_timers

_TAG: Final = "operations"
_ANSWER: Final = schema_of(TimerChanged)
LIST: Final = list_query(
    instance_id=Field(Identifier()),
    definition_id=Field(Identifier(), about="the timer starts of this version"),
    suspended=Field(
        Flag(), default=False, about="those of suspended instances instead of those that will fire"
    ),
)
CHANGE: Final = Shape(
    "ChangeTimer",
    due_at=Field(Instant()),
    priority=Field(Whole(-INT64, INT64), about="the highest fires first"),
)


class Timers(Resource):
    """The collection."""

    @documented(
        "List scheduled timers, the next due first",
        tag=_TAG,
        name="listTimers",
        query=LIST,
        answer=page_of(TimerRow),
    )
    def get(self, request: Request) -> Response:
        """Return a page."""
        filters, page = split_page(LIST.read(request.query_params))
        return Response(list_timers(tenant_of(request), **filters, **page))


class Timer(Resource):
    """One timer."""

    @documented(
        "Let a scheduled timer become due at another time, or fire before or after others",
        tag=_TAG,
        name="changeTimer",
        body=CHANGE,
        answer=_ANSWER,
        write=True,
    )
    def patch(self, request: Request, timer_id: str) -> Response:
        """Change it; an operator's act."""
        fields, context = read_write_call(request, CHANGE)
        return Response(engine.change_timer(timer_id, **fields, **context))

    @documented(
        "Delete a scheduled timer; a token that waits for nothing else fails",
        tag=_TAG,
        name="deleteTimer",
        body=NOTHING,
        answer=_ANSWER,
        write=True,
    )
    def delete(self, request: Request, timer_id: str) -> Response:
        """Delete it; an operator's act."""
        _, context = read_write_call(request, NOTHING)
        return Response(engine.delete_timer(timer_id, **context))


class TimerFire(Resource):
    """Firing a timer."""

    @documented(
        "Fire a scheduled timer now",
        tag=_TAG,
        name="fireTimer",
        body=NOTHING,
        answer=_ANSWER,
        write=True,
    )
    def post(self, request: Request, timer_id: str) -> Response:
        """Fire it; an operator's act."""
        _, context = read_write_call(request, NOTHING)
        return Response(engine.fire_timer(timer_id, **context))
