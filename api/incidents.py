"""/incidents and /tokens/{id}/retry."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import Changed
from api.documented import documented
from api.external_task_operations import RETRY
from api.kinds import Identifier, Text
from api.paging import list_query, split_page
from api.resource import Resource, read_write_call
from api.row_schema import page_of, schema_of
from api.shapes import Field, Query
from api.tenancy import tenant_of
from bpm import engine
from bpm.queries.incidents import STATUSES, IncidentFilter, IncidentRow, find_incident, list_incidents

_TAG: Final = "operations"
LIST: Final = list_query(
    status=Field(Text(choices=STATUSES), default="OPEN", about="OPEN unless said"),
    kind=Field(Text(1, 60)),
    instance_id=Field(Identifier()),
    process_def_id=Field(Text()),
    node=Field(Text()),
)
_NONE: Final = Query()


class Incidents(Resource):
    """The collection."""

    @documented(
        "List incidents, oldest first",
        tag=_TAG,
        name="listIncidents",
        query=LIST,
        answer=page_of(IncidentRow),
    )
    def get(self, request: Request) -> Response:
        """Return a page."""
        filters, page = split_page(LIST.read(request.query_params))
        return Response(list_incidents(tenant_of(request), IncidentFilter(**filters), **page))


class Incident(Resource):
    """One incident."""

    @documented("Show an incident", tag=_TAG, name="getIncident", query=_NONE, answer=schema_of(IncidentRow))
    def get(self, request: Request, incident_id: str) -> Response:
        """Return it, open or resolved."""
        _NONE.read(request.query_params)
        return Response(find_incident(incident_id, tenant=tenant_of(request)))


class IncidentResolve(Resource):
    """Resolving an incident."""

    @documented(
        "Resolve an incident by trying its token again",
        tag=_TAG,
        name="resolveIncident",
        body=RETRY,
        answer=schema_of(Changed),
        write=True,
    )
    def post(self, request: Request, incident_id: str) -> Response:
        """Resolve it; what was not repaired opens an incident again. An operator's act."""
        fields, context = read_write_call(request, RETRY)
        return Response(engine.resolve_incident(incident_id, retries=fields["retries"], **context))


class TokenRetry(Resource):
    """Trying a failed token again."""

    @documented(
        "Try a failed token again",
        tag=_TAG,
        name="retryToken",
        body=RETRY,
        answer=schema_of(Changed),
        write=True,
    )
    def post(self, request: Request, token_id: str) -> Response:
        """Retry it; an operator's act."""
        fields, context = read_write_call(request, RETRY)
        return Response(engine.retry_token(token_id, retries=fields["retries"], **context))
