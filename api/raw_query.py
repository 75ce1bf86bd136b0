"""Queries as they arrived: the framework puts U+FFFD, or reads Latin-1, where their bytes are not UTF-8."""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote_to_bytes

from rest_framework.request import Request

from api.request_errors import FieldError, RequestInvalid

_LISTED: Final = 10


def require_utf8(request: Request) -> None:
    """Refuse what would be read as another text than the caller has sent.

    Raises:
        RequestInvalid: a query parameter is not UTF-8; places are `?name`.
    """
    query = _as_sent(request)
    if query.isascii() and b"%" not in query:
        return
    wrong = [pair for pair in query.split(b"&") if not _is_text(_decoded(pair))]
    if wrong:
        raise RequestInvalid(tuple(_error(pair) for pair in wrong[:_LISTED]))


def _as_sent(request: Request) -> bytes:
    text = str(request.META.get("QUERY_STRING") or "")
    # A WSGI server hands bytes over as Latin-1; what is in a request of an ASGI server has been decoded.
    return text.encode("latin-1" if hasattr(request, "environ") else "utf-8")


def _decoded(part: bytes) -> bytes:
    return unquote_to_bytes(part.replace(b"+", b" "))


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _error(pair: bytes) -> FieldError:
    name = _decoded(pair.partition(b"=")[0]).decode(errors="replace")[:100]
    return FieldError(f"?{name}", "utf-8", "The parameter is not UTF-8.")
