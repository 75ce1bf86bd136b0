"""Request bodies: bytes within a limit, and exact JSON."""

from __future__ import annotations

import re
from typing import Any, Final

from django.http.request import UnreadablePostError
from rest_framework.request import Request

from api.kinds import Wrong, pointer
from api.limits import max_body_bytes
from api.rates import require_small
from api.request_errors import BodyTooLarge, FieldError, MediaTypeUnsupported, RequestInvalid, invalid
from api.shapes import ListOf, Shape
from bpm.queries.exact_json import from_outside

_PLAIN: Final = "identity"
_UTF8: Final = ("utf-8", "utf8")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Only an escape, or NUL itself, can bring in what is refused; most bodies have neither and are not walked.
_SUSPECT = re.compile(r"\\u(0000|[dD][89a-fA-F])|\x00")


def read_body(request: Request) -> bytes:
    """Return the whole body.

    Raises:
        BodyTooLarge: longer than `BPM["MAX_BODY_BYTES"]`; nothing of it was kept.
        RequestInvalid: the connection broke.
    """
    check_length(request)
    limit = max_body_bytes()
    try:
        body = request.read(limit + 1)
    except UnreadablePostError:
        raise invalid("", "incomplete", "The body did not arrive completely.") from None
    if len(body) > limit:
        raise BodyTooLarge(limit_bytes=limit)
    return bytes(body)


def check_length(request: Request) -> None:
    """Refuse a body whose announced length is above the limit.

    Raises:
        BodyTooLarge: see `read_body`.
    """
    announced = str(request.META.get("CONTENT_LENGTH") or "0")
    limit = max_body_bytes()
    if announced.isdigit() and (len(announced) > 18 or int(announced) > limit):
        raise BodyTooLarge(limit_bytes=limit)


def require_plain(request: Request) -> None:
    """Refuse what says that its bytes mean something else than they are taken for.

    The framework would read the query, too, in the character set that the body's type names.

    Raises:
        MediaTypeUnsupported: compressed, or in a character set other than UTF-8.
    """
    coding = str(request.META.get("HTTP_CONTENT_ENCODING") or _PLAIN)
    if coding.strip().lower() != _PLAIN:
        raise MediaTypeUnsupported(
            "Send the body as it is, without Content-Encoding.", found=coding[:100], expected=_PLAIN
        )
    for name, charset in (request.content_params or {}).items():
        if name.lower() == "charset" and charset.strip().lower() not in _UTF8:
            raise MediaTypeUnsupported(
                "Send the body in UTF-8; the charset of its Content-Type is another one.",
                found=charset[:100],
                expected=_UTF8[0],
            )


def media_type(request: Request) -> str:
    """Return the body's type in lower case, without parameters."""
    return (request.META.get("CONTENT_TYPE") or "").partition(";")[0].strip().lower()


def read_json(request: Request, body: bytes, shape: Shape | ListOf) -> Any:
    """Return the fields of a JSON body; no body is an empty object.

    Raises:
        MediaTypeUnsupported: a body that does not say it is JSON.
        RequestInvalid: not UTF-8, not JSON, or breaks rules of the shape.
        VariableTooLarge: a variable is larger than the caller may send.
    """
    try:
        value = _json_value(request, body)
        require_small(value)
        return shape.read(value)
    except Wrong as error:
        raise RequestInvalid(error.errors) from None


def _json_value(request: Request, body: bytes) -> Any:
    if not body:
        return {}
    found = media_type(request)
    if found != "application/json" and not (found.startswith("application/") and found.endswith("+json")):
        raise MediaTypeUnsupported(
            "Send the body as application/json.", found=found[:100], expected="application/json"
        )
    return parse_json(body)


def parse_json(body: bytes) -> Any:
    """Return the exact value of JSON text: whole numbers of any size up to 4,300 digits, decimals as written.

    Raises:
        RequestInvalid: not UTF-8, not JSON, NaN or Infinity, a key twice, NUL or a lone surrogate in a text.
    """
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise invalid("", "utf-8", f"The body is not UTF-8 (byte {error.start}).") from None
    try:
        value = from_outside(text)
    except RecursionError:
        raise invalid("", "depth", "The body is nested too deep.") from None
    except ArithmeticError:
        raise invalid("", "number", "A number's exponent is too large.") from None
    except ValueError as error:
        raise invalid("", "json", f"The body is not JSON as it is read here: {error}.") from None
    if _SUSPECT.search(text):
        _refuse_unstorable(value, "")
    return value


def _refuse_unstorable(value: Any, place: str) -> None:
    if isinstance(value, str):
        _refuse_text(value, place)
    elif isinstance(value, dict):
        for name, item in value.items():
            _refuse_text(name, place)
            _refuse_unstorable(item, place + pointer(name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _refuse_unstorable(item, place + pointer(index))


def _refuse_text(text: str, place: str) -> None:
    if "\x00" in text:
        raise RequestInvalid((FieldError(place, "nul", "Text may not contain the NUL character."),))
    if _SURROGATE.search(text):
        raise RequestInvalid((FieldError(place, "surrogate", "Text may not contain lone surrogates."),))
