"""HTTP answers and transport failures as results and errors: the only place that knows status codes."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from bpm.worker.errors import (
    AnswerNotKept,
    EngineError,
    EngineUnavailable,
    LeaseLost,
    MalformedAnswer,
    NotFound,
    Refused,
    Unauthorized,
)
from bpm.worker.exact_json import JsonValue, decode_json

_LEASE_CONFLICT = "ExternalTaskLeaseConflict"
_LEASE_LOST_CODES = frozenset({_LEASE_CONFLICT, "LeaseConflict", "TaskClosed", "InstanceEnded"})
_LATER_STATUSES = frozenset({408, 425, 429})
_LATER_CODES = frozenset({"Suspended", "IdempotencyInProgress"})
_LONGEST_DETAIL = 500
_LONGEST_RETRY_AFTER_S = 3_600.0

# The request never left: no connection, or it was wrong before it was sent.
_NOT_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.LocalProtocolError,
    httpx.UnsupportedProtocol,
)


def error_of_transport(failure: httpx.RequestError) -> EngineUnavailable:
    """Return the error for a call that got no answer."""
    return EngineUnavailable(
        f"no answer: {type(failure).__name__}: {failure}",
        may_have_been_processed=not isinstance(failure, _NOT_SENT),
    )


def read_answer(response: httpx.Response) -> JsonValue:
    """Return the decoded body of a 2xx answer; None for an empty one.

    Raises:
        EngineError: Any other status, by the table in `bpm.worker.errors`; a 2xx that is not JSON counts as
            no answer, because it comes from something that stands in between.
    """
    if not response.is_success:
        raise _error_of(response)
    if not response.content:
        return None
    try:
        return decode_json(response.content)
    except ValueError as error:
        if "json" in response.headers.get("content-type", ""):
            raise MalformedAnswer(f"the answer is not the JSON it says: {error}") from None
        raise EngineUnavailable("the answer is not JSON", status=response.status_code) from None


def retry_after_s(response: httpx.Response) -> float | None:
    """Return the seconds of `Retry-After` (number or HTTP date), 0 to 3,600; None without a readable one."""
    text = response.headers.get("retry-after")
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = _seconds_until(text)
    return min(max(seconds, 0.0), _LONGEST_RETRY_AFTER_S) if math.isfinite(seconds) else None


def _seconds_until(http_date: str) -> float:
    try:
        return (parsedate_to_datetime(http_date) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return math.nan


def _error_of(response: httpx.Response) -> EngineError:
    status = response.status_code
    detail, code = _problem(response)
    if _is_later(response, code):
        return EngineUnavailable(
            detail,
            status=status,
            code=code,
            retry_after_s=retry_after_s(response),
            may_have_been_processed=status != 429 and code != "Suspended",
        )
    return _refusal(response, code)(detail, status=status, code=code)


def _is_later(response: httpx.Response, code: str | None) -> bool:
    status = response.status_code
    if status >= 500 or status in _LATER_STATUSES:
        return True
    return status == 409 and (code in _LATER_CODES or "retry-after" in response.headers)


def _refusal(response: httpx.Response, code: str | None) -> type[EngineError]:
    status = response.status_code
    if status in (401, 403):
        return Unauthorized
    if status == 404:
        return NotFound
    if status != 409:
        return Refused
    if code == "AnswerNotKept":
        return AnswerNotKept
    violated = response.headers.get("x-invariant-violation")
    return LeaseLost if violated == _LEASE_CONFLICT or code in _LEASE_LOST_CODES else Refused


def _problem(response: httpx.Response) -> tuple[str, str | None]:
    """Return detail and code of a problem body, or what else can be said about the answer."""
    try:
        body = decode_json(response.content)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        location = response.headers.get("location")
        return (f"redirected to {location}" if location else response.reason_phrase or "no reason"), None
    detail = next((body[name] for name in ("error", "detail", "title") if body.get(name)), None)
    code = body.get("code")
    return str(detail or response.reason_phrase)[:_LONGEST_DETAIL], str(code) if code else None
