"""/tasks/{id}/bpmn-error, escalation, delegate, resolve, variables."""

from __future__ import annotations

from typing import Any, Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import TaskChanged, TaskVariablesRemoved, TaskVariablesSet
from api.documented import documented
from api.kinds import Flag, Text, Variables
from api.operators import groups_of, is_operator
from api.resource import NOTHING, Resource, read_write_call
from api.row_schema import schema_of
from api.shapes import Field, Query, Shape
from api.tenancy import tenant_of
from bpm import engine
from bpm.queries.task_variables import TaskVariableRow, list_task_variables

_TAG: Final = "tasks"
_ANSWER: Final = schema_of(TaskChanged)
_VARIABLES: Final = Field(Variables(), about="name to any JSON value")
ERROR: Final = Shape(
    "ThrowUserTaskError",
    error_code=Field(Text(), required=True),
    message=Field(Text(0, 4_000, free=True), default=""),
    variables=_VARIABLES,
)
ESCALATION: Final = Shape(
    "ThrowUserTaskEscalation", escalation_code=Field(Text(), required=True), variables=_VARIABLES
)
DELEGATE: Final = Shape("DelegateUserTask", assignee=Field(Text(), required=True))
RESOLVE: Final = Shape("ResolveUserTask", variables=_VARIABLES)
SET: Final = Shape(
    "SetTaskVariables",
    variables=Field(Variables(), required=True, about="name to any JSON value"),
    local=Field(Flag(), default=False, about="only as long as the task is there; triggers nothing"),
)
LIST: Final = Query(local=Field(Flag(), default=False, about="only the task's own"))


def _as_user(request: Request) -> dict[str, Any]:
    """Return as whom the caller ends a task; an operator may whoever it is."""
    if is_operator(request):
        return {"user": None, "groups": frozenset()}
    return {"user": request.user.get_username(), "groups": groups_of(request)}


def _by(request: Request) -> str | None:
    return None if is_operator(request) else request.user.get_username()


class TaskBpmnError(Resource):
    """Ending a user task by a BPMN error."""

    @documented(
        "End a user task by a BPMN error",
        tag=_TAG,
        name="throwTaskError",
        body=ERROR,
        answer=_ANSWER,
        write=True,
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Throw it, as whoever may complete the task."""
        fields, context = read_write_call(request, ERROR)
        answer = engine.throw_task_error(
            task_id,
            error_code=fields["error_code"],
            message=fields["message"],
            variables=fields["variables"] or {},
            **_as_user(request),
            **context,
        )
        return Response(answer)


class TaskEscalation(Resource):
    """Throwing an escalation at a user task."""

    @documented(
        "Throw an escalation at a user task, which goes on unless that interrupts it",
        tag=_TAG,
        name="throwTaskEscalation",
        body=ESCALATION,
        answer=_ANSWER,
        write=True,
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Throw it, as whoever may complete the task."""
        fields, context = read_write_call(request, ESCALATION)
        answer = engine.throw_task_escalation(
            task_id,
            escalation_code=fields["escalation_code"],
            variables=fields["variables"] or {},
            **_as_user(request),
            **context,
        )
        return Response(answer)


class TaskDelegate(Resource):
    """Delegating a user task."""

    @documented(
        "Let somebody else do a part of a user task",
        tag=_TAG,
        name="delegateTask",
        body=DELEGATE,
        answer=_ANSWER,
        write=True,
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Delegate one's own; an operator anybody's."""
        fields, context = read_write_call(request, DELEGATE)
        return Response(
            engine.delegate_task(task_id, assignee=fields["assignee"], by=_by(request), **context)
        )


class TaskResolve(Resource):
    """Giving a delegated user task back."""

    @documented(
        "Give a delegated user task back to its owner",
        tag=_TAG,
        name="resolveTask",
        body=RESOLVE,
        answer=_ANSWER,
        write=True,
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Resolve what was delegated to oneself; an operator anything."""
        fields, context = read_write_call(request, RESOLVE)
        variables = fields["variables"] or {}
        return Response(engine.resolve_task(task_id, variables=variables, by=_by(request), **context))


class TaskVariables(Resource):
    """The variables that a user task sees."""

    @documented(
        "List the variables that a user task sees",
        tag=_TAG,
        name="listTaskVariables",
        query=LIST,
        answer={"type": "array", "items": schema_of(TaskVariableRow)},
    )
    def get(self, request: Request, task_id: str) -> Response:
        """Return them by name, an inner one before outer ones of the same name."""
        local = LIST.read(request.query_params)["local"]
        return Response(list_task_variables(task_id, tenant=tenant_of(request), local=local))

    @documented(
        "Set variables as seen from a user task, or local to it",
        tag=_TAG,
        name="setTaskVariables",
        body=SET,
        answer=schema_of(TaskVariablesSet),
        write=True,
    )
    def put(self, request: Request, task_id: str) -> Response:
        """Set them."""
        fields, context = read_write_call(request, SET)
        return Response(engine.set_task_variables(task_id, **fields, **context))


class TaskVariable(Resource):
    """One local variable of a user task."""

    @documented(
        "Remove a local variable of a user task",
        tag=_TAG,
        name="removeTaskVariable",
        body=NOTHING,
        answer=schema_of(TaskVariablesRemoved),
        write=True,
    )
    def delete(self, request: Request, task_id: str, name: str) -> Response:
        """Remove it; the answer says whether it was there."""
        _, context = read_write_call(request, NOTHING)
        return Response(engine.remove_task_variables(task_id, names=(name,), **context))
