"""/external-tasks/{id}/…: what the holder of a lease says."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import LockExtended, TaskChanged
from api.documented import documented
from api.fetch_topics import MAX_LOCK_MS
from api.kinds import INT32, Text, Variables, Whole
from api.operators import require_operator
from api.resource import Resource, read_write_call
from api.row_schema import schema_of
from api.shapes import Field, Shape
from bpm import engine

_TAG: Final = "external tasks"
_ANSWER: Final = schema_of(TaskChanged)
_WORKER: Final = Field(Text(), required=True)
_LEASE: Final = Field(Whole(1, INT32), about="from the fetch; fences a worker against its own earlier lease")
_VARIABLES: Final = Field(Variables(), about="name to any JSON value")
MAX_DELAY_MS: Final = 31_536_000_000
COMPLETE: Final = Shape("CompleteExternalTask", worker_id=_WORKER, lease_id=_LEASE, variables=_VARIABLES)
FAIL: Final = Shape(
    "FailExternalTask",
    worker_id=_WORKER,
    lease_id=_LEASE,
    error=Field(Text(0, 10_000, free=True), default="", about="one sentence"),
    details=Field(Text(0, 1_000_000, free=True), about="such as a stack trace"),
    retries=Field(Whole(0, INT32), about="what is left now; one less than before without it"),
    retry_after_ms=Field(Whole(0, MAX_DELAY_MS)),
)
BPMN_ERROR: Final = Shape(
    "ThrowExternalTaskError",
    worker_id=_WORKER,
    lease_id=_LEASE,
    error_code=Field(Text(), required=True),
    error_message=Field(Text(0, 10_000, free=True), default=""),
    variables=_VARIABLES,
)
EXTEND: Final = Shape(
    "ExtendLock",
    worker_id=_WORKER,
    lease_id=_LEASE,
    lock_duration_ms=Field(Whole(1, MAX_LOCK_MS), required=True, about="from now"),
)
UNLOCK: Final = Shape(
    "UnlockExternalTask", worker_id=Field(Text(), about="an operator's act without"), lease_id=_LEASE
)


class ExternalTaskComplete(Resource):
    """The work is done."""

    @documented(
        "Complete a task",
        tag=_TAG,
        name="completeExternalTask",
        body=COMPLETE,
        answer=_ANSWER,
        write=True,
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Complete it; the same call again does nothing."""
        fields, context = read_write_call(request, COMPLETE)
        answer = engine.complete_external_task(
            task_id,
            worker=fields["worker_id"],
            lease=fields["lease_id"],
            variables=fields["variables"] or {},
            **context,
        )
        return Response(answer)


class ExternalTaskFail(Resource):
    """The work failed."""

    @documented("Fail a task", tag=_TAG, name="failExternalTask", body=FAIL, answer=_ANSWER, write=True)
    def post(self, request: Request, task_id: str) -> Response:
        """Take one retry off, or leave what is said; none left is an incident."""
        fields, context = read_write_call(request, FAIL)
        answer = engine.fail_external_task(
            task_id,
            worker=fields["worker_id"],
            lease=fields["lease_id"],
            error=fields["error"],
            details=fields["details"],
            retries=fields["retries"],
            retry_after_ms=fields["retry_after_ms"],
            **context,
        )
        return Response(answer)


class ExternalTaskBpmnError(Resource):
    """The work ends by a BPMN error."""

    @documented(
        "Throw a BPMN error at the task",
        tag=_TAG,
        name="throwExternalTaskError",
        body=BPMN_ERROR,
        answer=_ANSWER,
        write=True,
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Throw it."""
        fields, context = read_write_call(request, BPMN_ERROR)
        answer = engine.throw_external_task_error(
            task_id,
            worker=fields["worker_id"],
            lease=fields["lease_id"],
            error_code=fields["error_code"],
            message=fields["error_message"],
            variables=fields["variables"] or {},
            **context,
        )
        return Response(answer)


class ExternalTaskExtendLock(Resource):
    """The work takes longer."""

    @documented(
        "Let the lease end later",
        tag=_TAG,
        name="extendExternalTaskLock",
        body=EXTEND,
        answer=schema_of(LockExtended),
        write=True,
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Extend it."""
        fields, context = read_write_call(request, EXTEND)
        answer = engine.extend_external_task_lock(
            task_id,
            worker=fields["worker_id"],
            lease=fields["lease_id"],
            lock_ms=fields["lock_duration_ms"],
            **context,
        )
        return Response(answer)


class ExternalTaskUnlock(Resource):
    """The work is given back."""

    @documented(
        "Give a task back unworked",
        tag=_TAG,
        name="unlockExternalTask",
        body=UNLOCK,
        answer=_ANSWER,
        write=True,
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Give it back."""
        fields, context = read_write_call(request, UNLOCK)
        if fields["worker_id"] is None:
            require_operator(request)
        answer = engine.unlock_external_task(
            task_id, worker=fields["worker_id"], lease=fields["lease_id"], **context
        )
        return Response(answer)
