"""/process-instances/{id}/variables."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import Changed
from api.documented import documented
from api.kinds import Flag, Identifier, Variables
from api.request_errors import invalid
from api.resource import Resource, read_write_call
from api.row_schema import list_of, schema_of
from api.shapes import Field, Query, Shape
from api.tenancy import tenant_of
from bpm import engine
from bpm.queries.instances import find_instance
from bpm.queries.variables import VariableRow, has_scope, list_variables

_TAG: Final = "process instances"
LIST: Final = Query(scope=Field(Identifier(), about="of this scope only"))
SET: Final = Shape(
    "SetVariables",
    variables=Field(Variables(), required=True, about="name to any JSON value"),
    scope=Field(Identifier(), about="where to set them; the process without it"),
    local=Field(Flag(), default=False, about="exactly there, instead of where a scope outwards has them"),
)


class InstanceVariables(Resource):
    """The variables of one instance."""

    @documented(
        "List the variables of an instance",
        tag=_TAG,
        name="listVariables",
        query=LIST,
        answer=list_of(VariableRow),
    )
    def get(self, request: Request, instance_id: str) -> Response:
        """Return them by scope and name."""
        scope = LIST.read(request.query_params)["scope"]
        return Response(list_variables(instance_id, tenant=tenant_of(request), scope=scope))

    @documented(
        "Set variables",
        tag=_TAG,
        name="setVariables",
        body=SET,
        answer=schema_of(Changed),
        write=True,
    )
    def post(self, request: Request, instance_id: str) -> Response:
        """Set them."""
        fields, context = read_write_call(request, SET)
        instance = find_instance(instance_id, tenant=context["tenant"]).instance_id
        scope = fields["scope"] or instance
        _require_scope(scope, instance)
        answer = engine.set_variables(
            str(instance),
            variables=fields["variables"],
            scope=str(scope),
            local=fields["local"],
            **context,
        )
        return Response(answer)


def _require_scope(scope: UUID, instance: UUID) -> None:
    """Refuse a scope of another instance; whether it is active is the engine's to say."""
    if not has_scope(instance, scope):
        raise invalid("/scope", "scope", "There is no such scope in this instance.")
