"""/process-definitions/deploy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.db import transaction
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from api.bodies import check_length, media_type, read_body
from api.deployment_answers import Deployed
from api.documented import documented
from api.kinds import Flag, Schema, Text
from api.narrowing import deploys_some, require_deployed
from api.request_errors import FieldError, MediaTypeUnsupported, RequestInvalid, invalid
from api.resource import Resource, write_context
from api.row_schema import schema_of
from api.shapes import Field, Query
from bpm import engine

OPTIONS: Final = Query(
    name=Field(Text(1, 255), default="", about="name of the deployment"),
    resource=Field(
        Text(1, 255), default="process.bpmn", about="name of a file that is sent as the body itself"
    ),
    duplicate_filtering=Field(Flag(), default=True, about="content equal to the newest makes no new version"),
    force_executable=Field(Flag(), default=False, about="take every process as executable"),
)
_BINARY: Final[Schema] = {"type": "string", "format": "binary"}
_CONTENT: Final[Mapping[str, Schema]] = {
    "application/xml": _BINARY,
    "application/octet-stream": _BINARY,
    "multipart/form-data": {
        "type": "object",
        "properties": {"file": {"type": "array", "items": _BINARY}},
    },
}
_MULTIPART: Final = "multipart/form-data"
# What the framework puts where a name in a form is not UTF-8; the true name is lost then.
_NO_CHARACTER: Final = "\N{REPLACEMENT CHARACTER}"
_NOT_XML: Final = ("application/json",)


class Deployments(Resource):
    """Deploying one file as the body, or several as a form, all or none."""

    parser_classes = (MultiPartParser,)

    @documented(
        "Deploy BPMN 2.0 files, and forms (.form)",
        tag="process definitions",
        name="deploy",
        query=OPTIONS,
        request=_CONTENT,
        answer=schema_of(Deployed),
        status=201,
        write=True,
    )
    def post(self, request: Request) -> Response:
        """Deploy; whatever the body calls itself (curl says it is a form), it is XML unless multipart."""
        options = OPTIONS.read(request.query_params)
        resource = options.pop("resource")
        files = _form_files(request) if media_type(request) == _MULTIPART else _body_file(request, resource)
        content = b"".join(name.encode() + b"\0" + data + b"\0" for name, data in files)
        context = write_context(request, content)
        if not deploys_some():
            return Response(engine.deploy(files, **options, **context), status=201)
        # Of which processes the files are is known when they have been read; what may not be is rolled back.
        with transaction.atomic():
            answer = engine.deploy(files, **options, **context)
            require_deployed(answer)
        return Response(answer, status=201)


def _body_file(request: Request, name: str) -> list[tuple[str, bytes]]:
    found = media_type(request)
    if found in _NOT_XML:
        raise MediaTypeUnsupported("Send BPMN 2.0 XML.", found=found, expected="application/xml")
    body = read_body(request)
    if not body:
        raise invalid("", "required", "The body is empty; send BPMN 2.0 XML.")
    _check_name(name)
    return [(name, body)]


def _form_files(request: Request) -> list[tuple[str, bytes]]:
    check_length(request)
    unknown = tuple(
        FieldError(
            f"/{name[:100]}", "unknown", f"There is no field {name[:100]!r} here; options go in the query."
        )
        for name in request.POST
    )
    if unknown:
        raise RequestInvalid(unknown)
    files = [upload for _, uploads in request.FILES.lists() for upload in uploads]
    if not files:
        raise invalid("", "required", "The form holds no file.")
    for upload in files:
        _check_name(upload.name or "")
    return [(upload.name or "", upload.read()) for upload in files]


def _check_name(name: str) -> None:
    if _NO_CHARACTER in name:
        raise invalid("", "file-name", "A file's name is UTF-8.")
    if not 1 <= len(name) <= 255 or not name.isprintable():
        raise invalid("", "file-name", "A file's name has 1 to 255 printable characters.")
    if {"/", "\\"} & set(name) or name in (".", ".."):
        raise invalid("", "file-name", "A file's name leads nowhere: it has neither / nor \\.")
