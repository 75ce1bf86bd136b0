"""/process-instances/{id}/variables and scopes, /tokens/{id}/variables."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import ActivityVariablesSet, Changed, VariablesRemoved
from api.documented import documented
from api.kinds import Flag, Identifier, Variables
from api.request_errors import invalid
from api.resource import NOTHING, Resource, read_write_call
from api.row_schema import list_of, schema_of
from api.shapes import Field, Query, Shape
from api.tenancy import tenant_of
from bpm import engine
from bpm.queries.instances import find_instance
from bpm.queries.scopes import ScopeRow, list_scopes
from bpm.queries.variables import VariableRow, has_scope, list_variables

_TAG: Final = "process instances"
LIST: Final = Query(scope=Field(Identifier(), about="of this scope only"))
SET: Final = Shape(
    "SetVariables",
    variables=Field(Variables(), required=True, about="name to any JSON value"),
    scope=Field(Identifier(), about="where to set them; the process without it"),
    local=Field(Flag(), default=False, about="exactly there, instead of where a scope outwards has them"),
)
REMOVE: Final = Query(scope=Field(Identifier(), about="of which scope; the process without it"))
SET_LOCAL: Final = Shape(
    "SetActivityVariables", variables=Field(Variables(), required=True, about="name to any JSON value")
)
_NONE: Final = Query()


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
        return _set(request, instance_id)

    @documented(
        "Set variables",
        tag=_TAG,
        name="putVariables",
        body=SET,
        answer=schema_of(Changed),
        write=True,
    )
    def put(self, request: Request, instance_id: str) -> Response:
        """Set them: the same as POST."""
        return _set(request, instance_id)


class InstanceVariable(Resource):
    """One variable of one scope."""

    @documented(
        "Remove a variable of a scope, of the process without one",
        tag=_TAG,
        name="removeVariable",
        query=REMOVE,
        body=NOTHING,
        answer=schema_of(VariablesRemoved),
        write=True,
    )
    def delete(self, request: Request, instance_id: str, name: str) -> Response:
        """Remove it; the answer says whether it was there."""
        scope = REMOVE.read(request.query_params)["scope"]
        _, context = read_write_call(request, NOTHING)
        instance = find_instance(instance_id, tenant=context["tenant"]).instance_id
        _require_scope(scope or instance, instance, "?scope")
        answer = engine.remove_variables(
            str(instance), names=(name,), scope=str(scope or instance), **context
        )
        return Response(answer)


class InstanceScopes(Resource):
    """The scopes that hold variables and tokens."""

    @documented(
        "List the active scopes of an instance",
        tag=_TAG,
        name="listScopes",
        query=_NONE,
        answer=list_of(ScopeRow),
    )
    def get(self, request: Request, instance_id: str) -> Response:
        """Return them in order of creation; the process's own has the instance's id."""
        _NONE.read(request.query_params)
        return Response(list_scopes(instance_id, tenant=tenant_of(request)))


class TokenVariables(Resource):
    """Variables local to the activity at which a token waits."""

    @documented(
        "Set variables local to the activity at which a token waits",
        tag=_TAG,
        name="setActivityVariables",
        body=SET_LOCAL,
        answer=schema_of(ActivityVariablesSet),
        write=True,
    )
    def put(self, request: Request, token_id: str) -> Response:
        """Set them in the activity's own scope, which is opened where it has none."""
        fields, context = read_write_call(request, SET_LOCAL)
        return Response(engine.set_activity_variables(token_id, variables=fields["variables"], **context))


def _set(request: Request, instance_id: str) -> Response:
    fields, context = read_write_call(request, SET)
    instance = find_instance(instance_id, tenant=context["tenant"]).instance_id
    scope = fields["scope"] or instance
    _require_scope(scope, instance, "/scope")
    answer = engine.set_variables(
        str(instance),
        variables=fields["variables"],
        scope=str(scope),
        local=fields["local"],
        **context,
    )
    return Response(answer)


def _require_scope(scope: UUID, instance: UUID, place: str) -> None:
    """Refuse a scope of another instance; whether it is active is the engine's to say."""
    if not has_scope(instance, scope):
        raise invalid(place, "scope", "There is no such scope in this instance.")
