"""/process-instances/{id}/suspend, activate, explain."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import Changed
from api.documented import documented
from api.kinds import Flag
from api.postponing import ASYNC, postponable
from api.resource import Resource, read_write_call
from api.row_schema import schema_of
from api.shapes import Field, Query, Shape
from api.tenancy import tenant_of
from bpm import engine
from bpm.queries.explain import explain
from bpm.queries.explanation import Explanation

_TAG: Final = "process instances"
_ANSWER: Final = schema_of(Changed)
_NONE: Final = Query()
SUSPEND: Final = Shape("SuspendInstance", **ASYNC)
ACTIVATE: Final = Shape(
    "ActivateInstance",
    release=Field(Flag(), default=False, about="also an instance that the engine froze"),
    **ASYNC,
)


class ProcessInstanceSuspend(Resource):
    """Suspending an instance."""

    @documented(
        "Suspend an instance and those that it has called",
        tag=_TAG,
        name="suspendProcessInstance",
        body=SUSPEND,
        answer=_ANSWER,
        write=True,
        postponable=True,
    )
    def post(self, request: Request, instance_id: str) -> Response:
        """Suspend it; an operator's act."""
        fields, context = read_write_call(request, SUSPEND)
        return postponable(engine.suspend(instance_id, later=fields["async"], **context))


class ProcessInstanceActivate(Resource):
    """Ending a suspension."""

    @documented(
        "Activate a suspended instance and those that it has called",
        tag=_TAG,
        name="activateProcessInstance",
        body=ACTIVATE,
        answer=_ANSWER,
        write=True,
        postponable=True,
    )
    def post(self, request: Request, instance_id: str) -> Response:
        """Activate it; an operator's act."""
        fields, context = read_write_call(request, ACTIVATE)
        answer = engine.activate(instance_id, release=fields["release"], later=fields["async"], **context)
        return postponable(answer)


class ProcessInstanceExplain(Resource):
    """Why an instance stands where it stands."""

    @documented(
        "Tell for every waiting token what it waits for and what would move it",
        tag=_TAG,
        name="explainProcessInstance",
        query=_NONE,
        answer=schema_of(Explanation),
    )
    def get(self, request: Request, instance_id: str) -> Response:
        """Return it as it is at one moment."""
        _NONE.read(request.query_params)
        return Response(explain(instance_id, tenant=tenant_of(request)))
