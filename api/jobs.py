"""/jobs: work of the engine itself."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import JobChanged, JobRun
from api.documented import documented
from api.external_task_operations import RETRIES
from api.kinds import INT64, Identifier, Instant, Text, Whole
from api.paging import list_query, split_page
from api.resource import NOTHING, Resource, read_write_call
from api.row_schema import page_of, schema_of
from api.shapes import Field, Shape
from api.tenancy import tenant_of
from bpm import engine
from bpm.queries.jobs import OPEN_STATUSES, JobRow, list_jobs

_TAG: Final = "operations"
_ANSWER: Final = schema_of(JobChanged)
LIST: Final = list_query(status=Field(Text(choices=OPEN_STATUSES)), instance_id=Field(Identifier()))
CHANGE: Final = Shape(
    "ChangeJob",
    available_at=Field(Instant(), about="not before that"),
    priority=Field(Whole(-INT64, INT64), about="the highest is taken first"),
)


class Jobs(Resource):
    """The collection."""

    @documented("List open jobs", tag=_TAG, name="listJobs", query=LIST, answer=page_of(JobRow))
    def get(self, request: Request) -> Response:
        """Return a page."""
        filters, page = split_page(LIST.read(request.query_params))
        return Response(list_jobs(tenant_of(request), **filters, **page))


class Job(Resource):
    """One job."""

    @documented(
        "Let a waiting job become due at another time, or be taken before or after others",
        tag=_TAG,
        name="changeJob",
        body=CHANGE,
        answer=_ANSWER,
        write=True,
    )
    def patch(self, request: Request, job_id: str) -> Response:
        """Change it; an operator's act."""
        fields, context = read_write_call(request, CHANGE)
        return Response(engine.change_job(job_id, **fields, **context))

    @documented(
        "Delete a job that does not run; the token that waits for it fails",
        tag=_TAG,
        name="deleteJob",
        body=NOTHING,
        answer=_ANSWER,
        write=True,
    )
    def delete(self, request: Request, job_id: str) -> Response:
        """Delete it; an operator's act."""
        _, context = read_write_call(request, NOTHING)
        return Response(engine.delete_job(job_id, **context))


class JobRetries(Resource):
    """The number of retries."""

    @documented(
        "Set the number of retries of a job, and try it again where it has failed for good",
        tag=_TAG,
        name="setJobRetries",
        body=RETRIES,
        answer=_ANSWER,
        write=True,
    )
    def post(self, request: Request, job_id: str) -> Response:
        """Set it; an operator's act."""
        fields, context = read_write_call(request, RETRIES)
        return Response(engine.set_job_retries(job_id, retries=fields["retries"], **context))


class JobRunNow(Resource):
    """Doing a job now."""

    @documented(
        "Do a waiting job now, whatever its due time",
        tag=_TAG,
        name="runJob",
        body=NOTHING,
        answer=schema_of(JobRun),
        write=True,
    )
    def post(self, request: Request, job_id: str) -> Response:
        """Do it, or let the next free cluster; an operator's act."""
        _, context = read_write_call(request, NOTHING)
        return Response(engine.run_job(job_id, **context))
