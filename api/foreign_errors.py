"""Errors of the web framework and of the database, as the API answers them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError
from rest_framework.exceptions import APIException, MethodNotAllowed, NotAuthenticated, ParseError
from rest_framework.views import exception_handler

from api.request_errors import BodyTooLarge, EngineUnavailable, NotAllowed, invalid
from bpm.engine import EngineError, errors

# SQLSTATE: lock_not_available, deadlock_detected, serialization_failure.
_BUSY: Final = frozenset({"55P03", "40P01", "40001"})
_CODES: Final[Mapping[int, str]] = {
    400: "RequestInvalid",
    401: "NotAuthenticated",
    403: "NotAllowed",
    404: "NotFound",
    405: "MethodNotAllowed",
    406: "NotAcceptable",
    415: "MediaTypeUnsupported",
    429: "TooManyRequests",
}


@dataclass(frozen=True, slots=True)
class Foreign:
    """An error that the framework has an answer for."""

    status: int
    code: str
    detail: str
    headers: Mapping[str, str] = field(default_factory=dict)


def translate(error: Exception) -> EngineError | Foreign | None:
    """Return what the API says to an error that is not the engine's; None where it is a bug."""
    match error:
        case OperationalError() | InterfaceError():
            return _of_database(error)
        case RequestDataTooBig():
            return BodyTooLarge()
        case MultiPartParserError() | SuspiciousOperation() | UnreadablePostError():
            return invalid("", "body", f"The body cannot be read: {error}")
        case PermissionDenied():
            return NotAllowed(str(error) or None)
        case Http404():
            return Foreign(404, "NotFound", "There is nothing at this address.")
        case ParseError():
            return invalid("", "body", f"The body cannot be read: {error.detail}")
        case APIException():
            return _of_framework(error)
    return None


def _of_framework(error: APIException) -> Foreign:
    # The framework's own handler knows the headers (WWW-Authenticate, Retry-After) that belong to the error.
    answer = exception_handler(error, {})
    headers = dict(answer.items()) if answer is not None else {}
    headers.pop("Content-Type", None)
    code = _CODES.get(error.status_code, "Refused")
    return Foreign(error.status_code, code, _text(error), headers)


def _text(error: APIException) -> str:
    if isinstance(error, NotAuthenticated):
        return "Send `Authorization: Token <key>`, or log in."
    if isinstance(error, MethodNotAllowed):
        return "This method is not for this address."
    return str(error.detail)


def _of_database(error: Exception) -> EngineError:
    state = getattr(error.__cause__, "sqlstate", None)
    if state in _BUSY or "database is locked" in str(error):
        return errors.Busy()
    return EngineUnavailable()
