"""Bodies whose end is not announced: the framework reads as many bytes as Content-Length says, and else none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponseBase, JsonResponse

from api.problems import CONTENT_TYPE, problem_body, status_of
from api.request_errors import FieldError, LengthRequired

_HEADER: Final = "Transfer-Encoding"
_RULE: Final = "Send the body with Content-Length; one that comes in chunks is not read here."


def require_length(request: HttpRequest) -> None:
    """Refuse a body in chunks: it would be taken for none, and the call carried out without it.

    Raises:
        LengthRequired.
    """
    if request.META.get("HTTP_TRANSFER_ENCODING"):
        raise LengthRequired((FieldError(_HEADER, "header", _RULE),))


class AnnouncedLength:
    """Middleware: no page and no call gets a request whose body would be dropped."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request, or refuse it before anybody has looked at it."""
        try:
            require_length(request)
        except LengthRequired as error:
            return JsonResponse(problem_body(error), status=status_of(error), content_type=CONTENT_TYPE)
        return self.get_response(request)
