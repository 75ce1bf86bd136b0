"""/process-instances: start, list, look at, cancel."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import Changed, Started
from api.documented import documented
from api.instructions import STARTS
from api.kinds import INT32, Flag, Identifier, Instant, Text, Variables, Whole
from api.narrowing import require_process
from api.paging import list_query, split_page
from api.postponing import ASYNC, postponable
from api.resource import Resource, read_write_call
from api.row_schema import page_of, schema_of
from api.shapes import Field, Query, Shape
from api.tenancy import tenant_of
from bpm import engine
from bpm.access.permissions import Permission
from bpm.queries.instance import InstanceDetail, instance_detail
from bpm.queries.instances import STATUSES, InstanceFilter, InstanceRow, list_instances

_TAG: Final = "process instances"
START: Final = Shape(
    "StartInstance",
    process_def_id=Field(
        Text(), required=True, about="key of a process (its newest version), or a definition's id"
    ),
    version=Field(Whole(1, INT32), about="another version than the newest"),
    business_key=Field(Text(0, 255)),
    variables=Field(Variables(), about="name to any JSON value"),
    start_instructions=Field(STARTS, about="where it begins, instead of at its start event"),
)
CANCEL: Final = Shape("CancelInstance", reason=Field(Text(0, 500), default=""), **ASYNC)
LIST: Final = list_query(
    status=Field(Text(choices=STATUSES)),
    process_def_id=Field(Text()),
    version=Field(Whole(1, INT32)),
    definition_id=Field(Identifier()),
    business_key=Field(Text(0, 255)),
    node=Field(Text(), about="has a live token there"),
    incident=Field(Flag(), about="has open incidents"),
    running=Field(Flag(), about="has not ended"),
    parent_instance_id=Field(Identifier()),
    started_from=Field(Instant(), about="started at or after"),
    started_before=Field(Instant(), about="started before"),
)
_NONE: Final = Query()


class ProcessInstances(Resource):
    """The collection."""

    @documented(
        "Start an instance",
        tag=_TAG,
        name="startProcessInstance",
        body=START,
        answer=schema_of(Started),
        status=201,
        write=True,
    )
    def post(self, request: Request) -> Response:
        """Start an instance; it has come to its first wait states when this answers."""
        fields, context = read_write_call(request, START)
        require_process(fields["process_def_id"])
        if fields["start_instructions"]:
            # Beginning in the middle passes by what the process asks for before.
            require_process(fields["process_def_id"], Permission.OPERATE)
        answer = engine.start(
            fields["process_def_id"],
            version=fields["version"],
            business_key=fields["business_key"],
            variables=fields["variables"] or {},
            instructions=fields["start_instructions"] or (),
            **context,
        )
        location = request.build_absolute_uri(f"{request.path}/{answer['instance_id']}")
        return Response(answer, status=201, headers={"Location": location})

    @documented(
        "List instances, newest first",
        tag=_TAG,
        name="listProcessInstances",
        query=LIST,
        answer=page_of(InstanceRow),
    )
    def get(self, request: Request) -> Response:
        """Return a page."""
        filters, page = split_page(LIST.read(request.query_params))
        return Response(list_instances(tenant_of(request), InstanceFilter(**filters), **page))


class ProcessInstance(Resource):
    """One instance."""

    @documented(
        "Show an instance with its tokens, joins and variables",
        tag=_TAG,
        name="getProcessInstance",
        query=_NONE,
        answer=schema_of(InstanceDetail),
    )
    def get(self, request: Request, instance_id: str) -> Response:
        """Return it as it is at one moment."""
        _NONE.read(request.query_params)
        return Response(instance_detail(instance_id, tenant=tenant_of(request)))


class ProcessInstanceCancel(Resource):
    """Ending an instance."""

    @documented(
        "Cancel an instance with all that is in it",
        tag=_TAG,
        name="cancelProcessInstance",
        body=CANCEL,
        answer=schema_of(Changed),
        write=True,
        postponable=True,
    )
    def post(self, request: Request, instance_id: str) -> Response:
        """Cancel it."""
        fields, context = read_write_call(request, CANCEL)
        answer = engine.cancel(instance_id, reason=fields["reason"], later=fields["async"], **context)
        return postponable(answer)
