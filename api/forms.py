"""/tasks/{id}/form and /process-definitions/{id}/start-form."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.documented import documented
from api.resource import Resource
from api.row_schema import schema_of
from api.shapes import Query
from api.tenancy import tenant_of
from bpm.queries.forms import FormRow, start_form, task_form

_NONE: Final = Query()


class TaskForm(Resource):
    """The form of a user task."""

    @documented(
        "Show the form of a user task, with values",
        tag="tasks",
        name="getTaskForm",
        query=_NONE,
        answer=schema_of(FormRow),
    )
    def get(self, request: Request, task_id: str) -> Response:
        """Return its fields; those of a closed task have no values."""
        _NONE.read(request.query_params)
        return Response(task_form(task_id, tenant=tenant_of(request)))


class StartForm(Resource):
    """The form by which a version is started."""

    @documented(
        "Show the form by which a version is started",
        tag="process definitions",
        name="getStartForm",
        query=_NONE,
        answer=schema_of(FormRow),
    )
    def get(self, request: Request, definition_id: str) -> Response:
        """Return its fields with their defaults."""
        _NONE.read(request.query_params)
        return Response(start_form(definition_id, tenant=tenant_of(request))[1])
