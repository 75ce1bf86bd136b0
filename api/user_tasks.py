"""/tasks/{id}/complete, claim, unclaim, assign."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import TaskChanged
from api.documented import documented
from api.kinds import Text, Variables
from api.operators import groups_of, is_operator
from api.request_errors import NotAllowed
from api.resource import NOTHING, Resource, read_write_call
from api.row_schema import schema_of
from api.shapes import Field, Shape
from bpm import engine

_TAG: Final = "tasks"
_ANSWER: Final = schema_of(TaskChanged)
COMPLETE: Final = Shape("CompleteUserTask", variables=Field(Variables(), about="name to any JSON value"))
CLAIM: Final = Shape("ClaimUserTask", user=Field(Text(), about="an operator may name somebody else"))
ASSIGN: Final = Shape("AssignUserTask", assignee=Field(Text(0, 255), about="nobody without it"))


class TaskComplete(Resource):
    """Completing a user task."""

    @documented(
        "Complete a user task",
        tag=_TAG,
        name="completeTask",
        body=COMPLETE,
        answer=_ANSWER,
        write=True,
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Complete it as its assignee or, unassigned, as a candidate; an operator for anybody."""
        fields, context = read_write_call(request, COMPLETE)
        operator = is_operator(request)
        answer = engine.complete_task(
            task_id,
            variables=fields["variables"] or {},
            user=None if operator else request.user.get_username(),
            groups=frozenset() if operator else groups_of(request),
            **context,
        )
        return Response(answer)


class TaskClaim(Resource):
    """Taking a user task."""

    @documented("Claim a user task", tag=_TAG, name="claimTask", body=CLAIM, answer=_ANSWER, write=True)
    def post(self, request: Request, task_id: str) -> Response:
        """Claim it for oneself; an operator for anybody, candidate or not."""
        fields, context = read_write_call(request, CLAIM)
        caller = request.user.get_username()
        user = fields["user"] or caller
        operator = is_operator(request)
        if user != caller and not operator:
            raise NotAllowed("Only an operator claims a task for somebody else.", user=user)
        answer = engine.claim_task(
            task_id,
            user=user,
            groups=frozenset() if operator else groups_of(request),
            check=not operator,
            **context,
        )
        return Response(answer)


class TaskUnclaim(Resource):
    """Giving a user task back."""

    @documented(
        "Give a user task back to its candidates",
        tag=_TAG,
        name="unclaimTask",
        body=NOTHING,
        answer=_ANSWER,
        write=True,
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Give it back: one's own; an operator anybody's."""
        _, context = read_write_call(request, NOTHING)
        user = None if is_operator(request) else request.user.get_username()
        return Response(engine.unclaim_task(task_id, user=user, **context))


class TaskAssign(Resource):
    """Giving a user task to somebody."""

    @documented(
        "Assign a user task to somebody or nobody",
        tag=_TAG,
        name="assignTask",
        body=ASSIGN,
        answer=_ANSWER,
        write=True,
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Assign it; an operator's act."""
        fields, context = read_write_call(request, ASSIGN)
        return Response(engine.assign_task(task_id, assignee=fields["assignee"], **context))
