"""One log line per request, and a request id on everything that is logged meanwhile."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Final
from uuid import uuid4

import structlog
from django.http import HttpRequest, HttpResponse

HEADER: Final = "X-Request-Id"
_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_QUIET: Final = ("/health", "/ready", "/metrics", "/static/")
"""What is asked all the time; logged at the level DEBUG."""

_log = structlog.get_logger("bpm.requests")


class RequestLog:
    """Middleware, the outermost one that may log.

    A request id of the caller is kept if it is a short word, so that it can be followed through several systems; any
    other text would let strangers write into the log. The answer carries the id. Query strings, bodies and headers are
    never logged.
    """

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self._answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, and log that."""
        given = request.headers.get(HEADER, "")
        request_id = given if _ID.fullmatch(given) else uuid4().hex
        started = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self._answer(request)
            level = "debug" if request.path.startswith(_QUIET) else "info"
            getattr(_log, level)(
                "request",
                method=request.method,
                path=request.path,
                status=response.status_code,
                ms=round((time.perf_counter() - started) * 1_000, 1),
                user=_user(request),
            )
        response.headers[HEADER] = request_id
        return response


def _user(request: HttpRequest) -> str | None:
    user = getattr(request, "user", None)
    return user.get_username() if user is not None and user.is_authenticated else None
