"""/retention-rules: how long ended instances are kept."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import Retention
from api.changes import Changes
from api.documented import documented
from api.kinds import Whole
from api.paging import list_query
from api.resource import NOTHING, Resource, read_write_call
from api.row_schema import page_of, schema_of
from api.shapes import Field, Query
from api.tenancy import tenant_of
from bpm import engine
from bpm.queries.retention import RetentionRow, find_retention, list_retention

_TAG: Final = "retention"
_NONE: Final = Query()
LIST: Final = list_query()
MOST_DAYS: Final = 36_500
RULE: Final = Changes(
    "RetentionRule",
    days=Field(Whole(0, MOST_DAYS), about="from an instance's end to its removal; null: it is kept for good"),
)


class RetentionRules(Resource):
    """What holds for all processes."""

    @documented(
        "List the processes, each with how long its ended instances are kept",
        tag=_TAG,
        name="listRetentionRules",
        query=LIST,
        answer=page_of(RetentionRow),
    )
    def get(self, request: Request) -> Response:
        """Return a page of them, by key."""
        return Response(list_retention(tenant_of(request), **LIST.read(request.query_params)))


class RetentionRule(Resource):
    """What holds for one process."""

    @documented(
        "Show how long ended instances of a process are kept",
        tag=_TAG,
        name="showRetentionRule",
        query=_NONE,
        answer=schema_of(RetentionRow),
    )
    def get(self, request: Request, process_def_id: str) -> Response:
        """Return its own rule, or what the setting says."""
        _NONE.read(request.query_params)
        return Response(find_retention(process_def_id, tenant=tenant_of(request)))

    @documented(
        "Keep ended instances of a process so many days, those that have ended already too",
        tag=_TAG,
        name="setRetentionRule",
        body=RULE,
        answer=schema_of(Retention),
        write=True,
    )
    def put(self, request: Request, process_def_id: str) -> Response:
        """Set its rule; an event of the process."""
        fields, context = read_write_call(request, RULE)
        return Response(engine.set_retention(process_def_id, fields["days"], **context))

    @documented(
        "Take the rule of a process away: the installation's setting decides again",
        tag=_TAG,
        name="clearRetentionRule",
        body=NOTHING,
        answer=schema_of(Retention),
        write=True,
    )
    def delete(self, request: Request, process_def_id: str) -> Response:
        """Clear it; an event of the process, if there was one."""
        _, context = read_write_call(request, NOTHING)
        return Response(engine.clear_retention(process_def_id, **context))
