"""/process-definitions/{id}/suspend and activate, /deployments/{id}."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import DefinitionSuspension, Deleted
from api.documented import documented
from api.kinds import Flag
from api.resource import NOTHING, Resource, read_write_call
from api.row_schema import schema_of
from api.shapes import Field, Query, Shape
from bpm import engine

_TAG: Final = "process definitions"
SUSPEND: Final = Shape(
    "SuspendDefinition",
    include_instances=Field(Flag(), default=False, about="also its instances that have not ended"),
)
DELETE: Final = Query(
    cascade=Field(Flag(), default=False, about="cancel instances that have not ended, instead of refusing")
)


class ProcessDefinitionSuspend(Resource):
    """Suspending a version."""

    @documented(
        "Suspend a version: it is not started any more, its timer starts are held",
        tag=_TAG,
        name="suspendProcessDefinition",
        body=SUSPEND,
        answer=schema_of(DefinitionSuspension),
        write=True,
    )
    def post(self, request: Request, definition_id: str) -> Response:
        """Suspend it; an operator's act."""
        fields, context = read_write_call(request, SUSPEND)
        return Response(engine.suspend_definition(definition_id, **fields, **context))


class ProcessDefinitionActivate(Resource):
    """Ending a suspension."""

    @documented(
        "Activate a suspended version",
        tag=_TAG,
        name="activateProcessDefinition",
        body=SUSPEND,
        answer=schema_of(DefinitionSuspension),
        write=True,
    )
    def post(self, request: Request, definition_id: str) -> Response:
        """Activate it; an operator's act."""
        fields, context = read_write_call(request, SUSPEND)
        return Response(engine.activate_definition(definition_id, **fields, **context))


class Deployment(Resource):
    """One deployment."""

    @documented(
        "Delete all versions of a deployment",
        tag=_TAG,
        name="deleteDeployment",
        query=DELETE,
        body=NOTHING,
        answer=schema_of(Deleted),
        write=True,
    )
    def delete(self, request: Request, deployment_id: str) -> Response:
        """Delete them, all or none; an operator's act."""
        options = DELETE.read(request.query_params)
        _, context = read_write_call(request, NOTHING)
        return Response(engine.delete_deployment(deployment_id, **options, **context))
