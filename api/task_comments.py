"""/tasks/{id}/comments."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import TaskCommented
from api.documented import documented
from api.kinds import Text
from api.paging import list_query, split_page
from api.resource import Resource, read_write_call
from api.row_schema import page_of, schema_of
from api.shapes import Field, Shape
from api.tenancy import tenant_of
from bpm import engine
from bpm.queries.comments import CommentRow, list_comments

_TAG: Final = "tasks"
COMMENT: Final = Shape("CommentUserTask", message=Field(Text(1, 4_000, free=True), required=True))
LIST: Final = list_query()


class TaskComments(Resource):
    """What was written to a user task."""

    @documented(
        "List the comments of a user task",
        tag=_TAG,
        name="listTaskComments",
        query=LIST,
        answer=page_of(CommentRow),
    )
    def get(self, request: Request, task_id: str) -> Response:
        """Return a page, oldest first."""
        _, page = split_page(LIST.read(request.query_params))
        return Response(list_comments(task_id, tenant=tenant_of(request), **page))

    @documented(
        "Write a comment to an open user task",
        tag=_TAG,
        name="commentTask",
        body=COMMENT,
        answer=schema_of(TaskCommented),
        status=201,
        write=True,
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Write it as the caller."""
        fields, context = read_write_call(request, COMMENT)
        return Response(engine.comment_task(task_id, **fields, **context), status=201)
