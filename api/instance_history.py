"""/process-instances/{id}/history and /trace."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.documented import documented
from api.kinds import Identifier, Text
from api.paging import list_query, split_page
from api.resource import Resource
from api.row_schema import page_of, schema_of
from api.shapes import Field
from api.tenancy import tenant_of
from bpm.queries.history import CATEGORIES, DEFAULT_EVENTS, EVENT_TYPES, EventFilter, EventRow, list_events
from bpm.queries.trace import Trace, trace

_TAG: Final = "process instances"
HISTORY: Final = list_query(
    default_limit=DEFAULT_EVENTS,
    token=Field(Identifier(), about="events of this token"),
    type=Field(Text(choices=EVENT_TYPES), about="event type, such as TokenArrived"),
    category=Field(Text(choices=CATEGORIES)),
)
TRACE: Final = list_query(default_limit=DEFAULT_EVENTS)


class InstanceHistory(Resource):
    """The events of one instance."""

    @documented(
        "List the events of an instance in order of their sequence",
        tag=_TAG,
        name="listHistory",
        query=HISTORY,
        answer=page_of(EventRow),
    )
    def get(self, request: Request, instance_id: str) -> Response:
        """Return a page."""
        filters, page = split_page(HISTORY.read(request.query_params))
        category = filters["category"]
        chosen = EventFilter(
            token_id=filters["token"],
            event_type=filters["type"],
            categories=None if category is None else (category,),
        )
        return Response(list_events(instance_id, tenant=tenant_of(request), chosen=chosen, **page))


class InstanceTrace(Resource):
    """What each token and external task went through."""

    @documented(
        "Show the timeline of tokens and external tasks",
        tag=_TAG,
        name="getTrace",
        query=TRACE,
        answer=schema_of(Trace),
    )
    def get(self, request: Request, instance_id: str) -> Response:
        """Return a page."""
        _, page = split_page(TRACE.read(request.query_params))
        return Response(trace(instance_id, tenant=tenant_of(request), **page))
