"""/external-tasks: fetch and lock, complete several, look at one."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import FetchedTask, ItemResult
from api.documented import documented
from api.fetch_topics import MAX_LOCK_MS, TOPICS, read_topics, topic_names
from api.kinds import INT32, Identifier, Text, Variables, Whole
from api.long_poll import MAX_WAIT_MS, poll
from api.narrowing import require_tasks, require_topics
from api.problems import problem_body
from api.resource import Resource, read_write_call
from api.row_schema import list_of, schema_of
from api.shapes import Field, ListOf, Query, Shape
from api.tenancy import tenant_of
from bpm import engine
from bpm.engine import EngineError, errors
from bpm.queries.external_tasks import ExternalTaskRow, find_external_task

_TAG: Final = "external tasks"
MAX_FETCHED: Final = 1_000
FETCH: Final = Shape(
    "FetchAndLock",
    worker_id=Field(Text(), required=True),
    **TOPICS,
    max_tasks=Field(Whole(1, MAX_FETCHED), default=1),
    lock_duration_ms=Field(Whole(1, MAX_LOCK_MS), default=30_000),
    wait_ms=Field(Whole(0, MAX_WAIT_MS), default=0, about="longest time to wait for a task"),
)
COMPLETE_ITEM: Final = Shape(
    "CompleteItem",
    task_id=Field(Identifier(), required=True),
    worker_id=Field(Text(), required=True),
    lease_id=Field(Whole(1, INT32)),
    variables=Field(Variables()),
)
COMPLETE_LIST: Final = ListOf(COMPLETE_ITEM, 1, 1_000)
_NONE: Final = Query()


class FetchAndLock(Resource):
    """Leasing work to a worker."""

    @documented(
        "Lease tasks to a worker, highest priority first, then oldest",
        tag=_TAG,
        name="fetchAndLock",
        body=FETCH,
        answer=list_of(FetchedTask),
        write=True,
    )
    def post(self, request: Request) -> Response:
        """Return leased tasks; an empty list with `Retry-After` where this process cannot wait any more."""
        fields, context = read_write_call(request, FETCH)
        topics = read_topics(fields)
        require_topics(topic_names(topics))
        fetch = partial(
            engine.fetch_and_lock,
            fields["worker_id"],
            topics=topics,
            max_tasks=fields["max_tasks"],
            lock_ms=fields["lock_duration_ms"],
            **context,
        )
        probe = partial(engine.work_waits, topics, tenant=context["tenant"])
        found = poll(fetch, probe, fields["wait_ms"])
        return Response(found.tasks, headers={"Retry-After": "1"} if found.refused else None)


class ExternalTasksComplete(Resource):
    """Completing several at once."""

    @documented(
        "Complete several tasks; each item has its own outcome",
        tag=_TAG,
        name="completeExternalTasks",
        body=COMPLETE_LIST,
        answer=list_of(ItemResult),
        write=True,
    )
    def post(self, request: Request) -> Response:
        """Return one result per item, in order; a refusal leaves the others untouched."""
        items, context = read_write_call(request, COMPLETE_LIST)
        asked = [
            {
                "task_id": str(item["task_id"]),
                "worker": item["worker_id"],
                "lease": item["lease_id"],
                "variables": item["variables"] or {},
            }
            for item in items
        ]
        require_tasks([item["task_id"] for item in asked])
        outcomes = engine.complete_external_tasks(asked, **context)
        return Response(
            [
                _result(index, item["task_id"], outcome)
                for index, (item, outcome) in enumerate(zip(asked, outcomes, strict=True))
            ]
        )


class ExternalTask(Resource):
    """One external task."""

    @documented(
        "Show an external task",
        tag=_TAG,
        name="getExternalTask",
        query=_NONE,
        answer=schema_of(ExternalTaskRow),
    )
    def get(self, request: Request, task_id: str) -> Response:
        """Return it, whatever its status."""
        _NONE.read(request.query_params)
        return Response(find_external_task(task_id, tenant=tenant_of(request)))


def _result(index: int, task_id: Any, outcome: dict[str, Any] | EngineError) -> dict[str, Any]:
    if isinstance(outcome, errors.VariableInvalid):
        # Said here, because an outcome that was kept under a key comes back without it.
        outcome.within = (index, "variables")
    if isinstance(outcome, EngineError):
        problem = problem_body(outcome)
        return {"task_id": task_id, "status": problem["status"], "problem": problem}
    return {
        "task_id": task_id,
        "status": 200,
        "instance_id": outcome["instance_id"],
        "instance_status": outcome["status"],
    }
