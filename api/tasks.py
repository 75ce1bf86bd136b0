"""/tasks: what waits for people and for workers."""

from __future__ import annotations

from typing import Any, Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import TaskChanged
from api.changes import Changes
from api.documented import documented
from api.kinds import INT64, Flag, Identifier, Instant, Text, Whole
from api.paging import list_query, split_page
from api.request_errors import FieldError, RequestInvalid
from api.resource import Resource, read_write_call
from api.row_schema import page_of, schema_of
from api.shapes import Field, ListOf, Query
from api.tenancy import tenant_of
from bpm import engine
from bpm.queries.external_tasks import ExternalTaskFilter, ExternalTaskRow, list_external_tasks
from bpm.queries.page import Page
from bpm.queries.tasks import find_task, list_tasks
from bpm.queries.user_tasks import UserTaskFilter, UserTaskRow, list_user_tasks

_TAG: Final = "tasks"
_OF_USER: Final = ("assignee", "assigned", "candidate_user", "candidate_group")
_OF_EXTERNAL: Final = ("task_type", "worker_id")
LIST: Final = list_query(
    type=Field(Text(choices=("user", "external")), about="both, user tasks first, without it"),
    instance_id=Field(Identifier()),
    process_def_id=Field(Text()),
    node=Field(Text()),
    assignee=Field(Text(), about="user tasks only"),
    assigned=Field(Flag(), about="user tasks only: has an assignee"),
    candidate_user=Field(Text(), about="user tasks only"),
    candidate_group=Field(Text(), about="user tasks only"),
    task_type=Field(Text(), about="external tasks only"),
    worker_id=Field(Text(), about="external tasks only: leased to this worker"),
)
_NONE: Final = Query()
_PEOPLE: Final = ListOf(Text(), 0, 1_000)
UPDATE: Final = Changes(
    "UpdateUserTask",
    name=Field(Text(1, 500), required=True),
    assignee=Field(Text(0, 255), about="nobody with null"),
    owner=Field(Text(0, 255), about="nobody with null"),
    due_at=Field(Instant()),
    follow_up_at=Field(Instant()),
    priority=Field(Whole(-INT64, INT64), required=True),
    candidate_users=Field(_PEOPLE, required=True),
    candidate_groups=Field(_PEOPLE, required=True),
)


class Tasks(Resource):
    """Waiting tasks."""

    @documented(
        "List waiting tasks",
        tag=_TAG,
        name="listTasks",
        query=LIST,
        answer=page_of(UserTaskRow | ExternalTaskRow),
    )
    def get(self, request: Request) -> Response:
        """Return a page."""
        filters, page = split_page(LIST.read(request.query_params))
        return Response(_list(tenant_of(request), filters, page))


class Task(Resource):
    """One task of either kind, waiting or not."""

    @documented(
        "Show a task",
        tag=_TAG,
        name="getTask",
        query=_NONE,
        answer=schema_of(UserTaskRow | ExternalTaskRow),
    )
    def get(self, request: Request, task_id: str) -> Response:
        """Return it."""
        _NONE.read(request.query_params)
        return Response(find_task(task_id, tenant=tenant_of(request)))

    @documented(
        "Change what an open user task says",
        tag=_TAG,
        name="updateTask",
        body=UPDATE,
        answer=schema_of(TaskChanged),
        write=True,
    )
    def patch(self, request: Request, task_id: str) -> Response:
        """Change it; an operator's act."""
        fields, context = read_write_call(request, UPDATE)
        return Response(engine.update_task(task_id, changes=fields, **context))


def _list(tenant: str, filters: dict[str, Any], page: dict[str, Any]) -> Page[Any]:
    kind = filters.pop("type")
    foreign = (*(_OF_EXTERNAL if kind != "external" else ()), *(_OF_USER if kind != "user" else ()))
    misplaced = tuple(
        FieldError(f"?{name}", "type", f"{name} is for tasks of the other type; say ?type=.")
        for name in foreign
        if filters[name] is not None
    )
    if misplaced:
        raise RequestInvalid(misplaced)
    kept = {name: value for name, value in filters.items() if name not in foreign}
    if kind == "user":
        return list_user_tasks(tenant, UserTaskFilter(**kept), **page)
    if kind == "external":
        return list_external_tasks(tenant, ExternalTaskFilter(**kept), **page)
    return list_tasks(tenant, **kept, **page)
