"""/external-tasks/{id}/retries and /priority, /dead-letters: what operators do."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import TaskChanged
from api.documented import documented
from api.kinds import INT32, INT64, Identifier, Text, Whole
from api.paging import list_query, split_page
from api.resource import Resource, read_write_call
from api.row_schema import page_of, schema_of
from api.shapes import Field, Shape
from api.tenancy import tenant_of
from bpm import engine
from bpm.queries.external_tasks import ExternalTaskFilter, ExternalTaskRow, list_dead_letters

_TAG: Final = "operations"
_ANSWER: Final = schema_of(TaskChanged)
RETRIES: Final = Shape("SetRetries", retries=Field(Whole(1, INT32), required=True))
PRIORITY: Final = Shape("SetPriority", priority=Field(Whole(-INT64, INT64), required=True))
RETRY: Final = Shape(
    "Retry", retries=Field(Whole(1, INT32), about="new number of retries; the initial number without it")
)
LIST: Final = list_query(
    instance_id=Field(Identifier()),
    process_def_id=Field(Text()),
    node=Field(Text()),
    task_type=Field(Text()),
)


class ExternalTaskRetries(Resource):
    """The number of retries."""

    @documented(
        "Set the number of retries of a task that has not failed for good",
        tag=_TAG,
        name="setExternalTaskRetries",
        body=RETRIES,
        answer=_ANSWER,
        write=True,
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Set it; an operator's act."""
        fields, context = read_write_call(request, RETRIES)
        return Response(engine.set_external_task_retries(task_id, retries=fields["retries"], **context))


class ExternalTaskPriority(Resource):
    """The priority."""

    @documented(
        "Set the priority of a task",
        tag=_TAG,
        name="setExternalTaskPriority",
        body=PRIORITY,
        answer=_ANSWER,
        write=True,
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Set it; an operator's act."""
        fields, context = read_write_call(request, PRIORITY)
        return Response(engine.set_external_task_priority(task_id, priority=fields["priority"], **context))


class DeadLetters(Resource):
    """Tasks without retries left."""

    @documented(
        "List tasks that have failed for good, oldest first",
        tag=_TAG,
        name="listDeadLetters",
        query=LIST,
        answer=page_of(ExternalTaskRow),
    )
    def get(self, request: Request) -> Response:
        """Return a page."""
        filters, page = split_page(LIST.read(request.query_params))
        return Response(list_dead_letters(tenant_of(request), ExternalTaskFilter(**filters), **page))


class DeadLetterRetry(Resource):
    """Trying such a task again."""

    @documented(
        "Offer a failed task to workers again",
        tag=_TAG,
        name="retryDeadLetter",
        body=RETRY,
        answer=_ANSWER,
        write=True,
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Retry it; an operator's act."""
        fields, context = read_write_call(request, RETRY)
        return Response(engine.retry_dead_letter(task_id, retries=fields["retries"], **context))
