"""/incidents/retry: many at once."""

from __future__ import annotations

from typing import Any, Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import RetryResult
from api.documented import documented
from api.kinds import INT32, Identifier, Text, Whole
from api.narrowing import require_incidents
from api.problems import problem_body, status_of
from api.request_errors import invalid
from api.resource import Resource, read_write_call
from api.row_schema import list_of
from api.shapes import Field, ListOf, Shape
from bpm import engine
from bpm.engine.answers import Answer
from bpm.engine.repair import MAX_BULK

_FILTERS: Final = ("kind", "instance_id", "definition_id", "process_def_id", "node")
RETRY: Final = Shape(
    "RetryIncidents",
    incident_ids=Field(ListOf(Identifier(), 1, MAX_BULK), about="these; or all open ones that match"),
    kind=Field(Text(1, 60)),
    instance_id=Field(Identifier()),
    definition_id=Field(Identifier()),
    process_def_id=Field(Text()),
    node=Field(Text()),
    retries=Field(Whole(1, INT32), about="new number of retries; the initial number without it"),
    limit=Field(Whole(1, MAX_BULK), default=MAX_BULK, about="how many of those that match, the oldest first"),
)


class IncidentsRetry(Resource):
    """Retrying many incidents."""

    @documented(
        "Retry many incidents in one transaction; each has its own outcome",
        tag="operations",
        name="retryIncidents",
        body=RETRY,
        answer=list_of(RetryResult),
        write=True,
    )
    def post(self, request: Request) -> Response:
        """Return one result per incident; a refusal leaves the others untouched. An operator's act."""
        fields, context = read_write_call(request, RETRY)
        if fields["incident_ids"] is not None and any(fields[name] is not None for name in _FILTERS):
            raise invalid("/incident_ids", "either", "Name incidents, or say what they are like, not both.")
        require_incidents(fields["incident_ids"], fields)
        named = fields.pop("incident_ids")
        outcomes = engine.retry_incidents(
            None if named is None else [str(one) for one in named], **fields, **context
        )
        return Response([_result(incident, outcome) for incident, outcome in outcomes])


def _result(incident: str, outcome: Answer | engine.EngineError) -> dict[str, Any]:
    if isinstance(outcome, engine.EngineError):
        return {"status": status_of(outcome), "incident_id": incident, "problem": problem_body(outcome)}
    return {
        "status": 200,
        "incident_id": incident,
        "instance_id": outcome["instance_id"],
        "instance_status": outcome["status"],
    }
