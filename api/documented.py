"""What the OpenAPI document says of a view, from the same shapes by which it reads and answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final, TypeVar

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from api.kinds import Kind, Schema
from api.row_schema import COMPONENTS
from api.shapes import Query

View = TypeVar("View", bound=Callable[..., Any])

_TEXT: Final[Schema] = {"type": "string"}
_QUERY: Final = "query"
COMPONENTS["Problem"] = {
    "type": "object",
    "description": "RFC 9457 problem.",
    "properties": {
        "type": {**_TEXT, "description": "urn:bpm-engine:problem: and the code"},
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": _TEXT,
        "code": {**_TEXT, "description": "stable name of the error"},
        "error": {**_TEXT, "description": "the same as detail"},
        "details": {"type": "object", "additionalProperties": True},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"place": _TEXT, "rule": _TEXT, "message": _TEXT},
                "required": ["place", "rule", "message"],
            },
        },
        "problems": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "resource": _TEXT,
                    "element": _TEXT,
                    "line": {"type": "integer"},
                    "rule": _TEXT,
                    "message": _TEXT,
                },
                "required": ["resource", "element", "line", "rule", "message"],
            },
        },
    },
    "required": ["type", "title", "status", "detail", "code", "error"],
}
PROBLEM: Final[Schema] = {"$ref": "#/components/schemas/Problem"}

SECURITY: Final[dict[str, Schema]] = {
    "token": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": "`Token` and the key, with a space between",
    },
    "session": {"type": "apiKey", "in": "cookie", "name": "sessionid"},
}

_TENANT = OpenApiParameter(
    "x-tenant-id",
    {"type": "string", "maxLength": 100},
    OpenApiParameter.HEADER,
    description="tenant; the default tenant without it",
)
_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255},
    OpenApiParameter.HEADER,
    description="the same call again under the same key gets the first answer and does nothing",
)
_READ_ERRORS: Final = (400, 401, 403, 404, 411, 415, 429, 503)
_WRITE_ERRORS: Final = (400, 401, 403, 404, 409, 411, 413, 415, 422, 429, 503)


def documented(
    summary: str,
    *,
    tag: str,
    answer: Schema,
    name: str,
    body: Kind | None = None,
    query: Query | None = None,
    status: int = 200,
    write: bool = False,
    request: Mapping[str, Schema] | None = None,
    answer_type: str = "application/json",
    public: bool = False,
    postponable: bool = False,
) -> Callable[[View], View]:
    """Return the decorator that describes one method of a view.

    Args:
        name: operation id.
        write: it takes an idempotency key and may answer the errors of commands.
        request: media type to schema, where the body is not JSON.
        public: it needs no credentials and is for all tenants.
        postponable: the same answer comes with 202 where a job will do what was asked.
    """
    parameters = [*([] if public else [_TENANT]), *([_KEY] if write else []), *_query_parameters(query)]
    content = request or ({"application/json": body.schema()} if body is not None else None)
    statuses = (status, *((202,) if postponable else ()))
    responses = {
        **_responses(statuses, answer_type, answer),
        **_responses(_WRITE_ERRORS if write else _READ_ERRORS, "application/problem+json", PROBLEM),
    }
    security: Any = [] if public else [{name: []} for name in SECURITY]
    describe: Callable[[View], View] = extend_schema(
        operation_id=name,
        summary=summary,
        description="",
        tags=[tag],
        parameters=parameters,
        request=content,
        responses=responses,
        auth=security,
    )

    def decorate(view: View) -> View:
        described = describe(view)
        described.__dict__[_QUERY] = query
        return described

    return decorate


def _responses(statuses: Iterable[int], media_type: str, schema: Schema) -> dict[Any, OpenApiResponse]:
    return {(code, media_type): OpenApiResponse(schema, HTTPStatus(code).phrase) for code in statuses}


def query_of(call: Callable[..., Any]) -> Query | None:
    """Return the parameters that a method of a view reads by itself; None where it takes none."""
    found: Query | None = getattr(call, _QUERY, None)
    return found


def _query_parameters(query: Query | None) -> list[OpenApiParameter]:
    fields = query.fields if query is not None else {}
    return [
        OpenApiParameter(name, _parameter_schema(field.kind), OpenApiParameter.QUERY, description=field.about)
        for name, field in fields.items()
    ]


def _parameter_schema(kind: Kind) -> Schema:
    found = kind.schema()
    # A list in a query is one text with commas.
    return {"type": "string"} if found["type"] == "array" else found
