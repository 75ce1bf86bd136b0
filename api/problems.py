"""Errors as answers: RFC 9457 problem bodies, and the one table of error class to HTTP status."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from rest_framework.response import Response

from api.foreign_errors import translate
from api.kinds import pointer
from api.request_errors import (
    BodyTooLarge,
    EngineUnavailable,
    InstancesExhausted,
    LengthRequired,
    LimitReached,
    MediaTypeUnsupported,
    NotAllowed,
    PollsExhausted,
    RateExceeded,
    RequestInvalid,
    VariableTooLarge,
)
from bpm.engine import errors
from bpm.queries.page import CursorInvalid

_log = logging.getLogger("api")

CONTENT_TYPE: Final = "application/problem+json"
STATUS: Final[Mapping[type[errors.EngineError], int]] = {
    errors.EngineError: 500,
    errors.Refused: 409,
    errors.NotFound: 404,
    errors.InstanceNotFound: 404,
    errors.DefinitionNotFound: 404,
    errors.DeploymentNotFound: 404,
    errors.TaskNotFound: 404,
    errors.TokenNotFound: 404,
    errors.IncidentNotFound: 404,
    errors.JobNotFound: 404,
    errors.TimerNotFound: 404,
    errors.SubscriptionNotFound: 404,
    errors.ReplayNotFound: 404,
    errors.MessageUnmatched: 404,
    errors.Invalid: 400,
    errors.VariableInvalid: 400,
    RequestInvalid: 400,
    CursorInvalid: 400,
    LengthRequired: 411,
    BodyTooLarge: 413,
    VariableTooLarge: 413,
    LimitReached: 429,
    RateExceeded: 429,
    PollsExhausted: 429,
    InstancesExhausted: 429,
    MediaTypeUnsupported: 415,
    errors.NotStartable: 422,
    errors.DefinitionInvalid: 422,
    errors.PlanInvalid: 422,
    errors.IdempotencyMismatch: 422,
    NotAllowed: 403,
    errors.TaskNotYours: 403,
    errors.Conflict: 409,
    errors.LeaseConflict: 409,
    errors.RetriesNotMonotonic: 409,
    errors.TaskClosed: 409,
    errors.TaskDelegated: 409,
    errors.EscalationUncaught: 409,
    errors.InstancesRunning: 409,
    errors.InstanceEnded: 409,
    errors.Suspended: 409,
    errors.NothingToRetry: 409,
    errors.TimerClosed: 409,
    errors.JobClosed: 409,
    errors.MessageAmbiguous: 409,
    errors.TooLarge: 409,
    errors.Busy: 409,
    errors.IdempotencyInProgress: 409,
    errors.AnswerNotKept: 409,
    EngineUnavailable: 503,
    errors.InvariantViolated: 500,
    errors.TokenInvalidTransition: 500,
    errors.TokenFinalizedTwice: 500,
    errors.JoinIncomplete: 500,
    errors.JoinFiredTwice: 500,
    errors.SequenceGap: 500,
    errors.OrphanToken: 500,
    errors.StrandedScope: 500,
    errors.TimerFiredTwice: 500,
    errors.ExternalTaskLeaseConflict: 500,
}
"""Every error class to its status; a test finds a class that is not here."""

_RETRY_AFTER_S: Final[Mapping[type[errors.EngineError], int]] = {
    errors.Busy: 1,
    errors.IdempotencyInProgress: 1,
    EngineUnavailable: 1,
}


def handle(error: Exception, context: Mapping[str, Any]) -> Response:
    """Return the answer to an error; the framework's exception handler. Nothing gets past it."""
    if isinstance(error, errors.EngineError):
        return problem_of(error)
    known = translate(error)
    if isinstance(known, errors.EngineError):
        return problem_of(known)
    if known is None:
        # The framework would answer in HTML; what happened is for the log, not for the caller.
        _log.error("unexpected error", exc_info=error)
        return _response(_body(500, "InternalError", "The server failed; the log says why."))
    return _response(_body(known.status, known.code, known.detail), known.headers)


def problem_of(error: errors.EngineError) -> Response:
    """Return the answer to an error of the engine."""
    status = status_of(error)
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.error("%s %s", error.code, error, exc_info=error, extra={"details": error.details})
    headers = {}
    if error.invariant:
        headers["X-Invariant-Violation"] = error.invariant
    wait = next((seconds for cls, seconds in _RETRY_AFTER_S.items() if isinstance(error, cls)), None)
    if isinstance(error, LimitReached):
        wait = int(str(error.details.get("retry_after_s", 1)))
    if wait is not None:
        headers["Retry-After"] = str(wait)
    return _response(problem_body(error), headers)


def status_of(error: errors.EngineError) -> int:
    """Return the HTTP status of an error."""
    return next(STATUS[cls] for cls in type(error).__mro__ if cls in STATUS)


def problem_body(error: errors.EngineError) -> dict[str, Any]:
    """Return the problem as a JSON object."""
    body = _body(status_of(error), error.code, error.message)
    if error.details:
        body["details"] = {name: _plain(value) for name, value in error.details.items()}
    if isinstance(error, errors.DefinitionInvalid | errors.PlanInvalid):
        body["problems"] = [problem.as_json() for problem in error.problems]
    if isinstance(error, RequestInvalid):
        body["errors"] = [found._asdict() for found in error.errors]
    elif isinstance(error, errors.VariableInvalid):
        body["errors"] = [_variable_error(error)]
    return body


def _variable_error(error: errors.VariableInvalid) -> dict[str, Any]:
    variable = error.details.get("variable")
    steps = (*(error.within or ("variables",)), *(() if variable is None else (variable,)))
    place = "".join(pointer(step) for step in steps)
    return {"place": place, "rule": "variable", "message": error.message}


def _body(status: int, code: str, detail: str) -> dict[str, Any]:
    return {
        "type": f"urn:bpm-engine:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        "error": detail,
    }


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return str(value)


def _response(body: dict[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    return Response(body, status=body["status"], headers=dict(headers or {}), content_type=CONTENT_TYPE)
