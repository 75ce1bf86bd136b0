"""/process-instances/{id}/verify, /history/proof, /history/export, /erase."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO, Final

from django.http import FileResponse, HttpResponse
from django.utils.http import content_disposition_header
from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import DataErased
from api.documented import documented
from api.kinds import Text
from api.resource import Resource, read_write_call
from api.row_schema import schema_of
from api.shapes import Field, ListOf, Query, Shape
from api.tenancy import tenant_of
from bpm import engine
from bpm.queries.verification import (
    ProofRow,
    VerificationRow,
    export_history,
    history_proof,
    verify_instance,
)

_TAG: Final = "process instances"
_NONE: Final = Query()
_IN_MEMORY_BYTES: Final = 1_000_000
ERASE: Final = Shape(
    "ErasePersonalData",
    variables=Field(
        ListOf(Text(1, 255), 1, 1_000), about="only values of these variables; all values and texts if absent"
    ),
    reason=Field(Text(0, 1_000), default="", about="stands on the event that tells of it"),
)


class InstanceVerify(Resource):
    """History and rows of one instance against each other."""

    @documented(
        "Verify an instance: hashes, invariants, and whether its rows are what its history says",
        tag=_TAG,
        name="verifyProcessInstance",
        query=_NONE,
        answer=schema_of(VerificationRow),
    )
    def get(self, request: Request, instance_id: str) -> Response:
        """Return what was found; nothing is changed."""
        _NONE.read(request.query_params)
        return Response(verify_instance(instance_id, tenant=tenant_of(request)))


class InstanceHistoryProof(Resource):
    """The end of the chain of hashes."""

    @documented(
        "Get the newest hash of an instance's history, which covers all of it",
        tag=_TAG,
        name="getHistoryProof",
        query=_NONE,
        answer=schema_of(ProofRow),
    )
    def get(self, request: Request, instance_id: str) -> Response:
        """Return it."""
        _NONE.read(request.query_params)
        return Response(history_proof(instance_id, tenant=tenant_of(request)))


class InstanceHistoryExport(Resource):
    """A history to be taken away."""

    @documented(
        "Get the whole history as JSON lines, which can be verified without a database",
        tag=_TAG,
        name="exportHistory",
        query=_NONE,
        answer={"type": "string", "format": "binary"},
        answer_type="application/x-ndjson",
    )
    def get(self, request: Request, instance_id: str) -> HttpResponse | FileResponse:
        """Send a file: the snapshot in which it is read must not last as long as a slow client takes."""
        _NONE.read(request.query_params)
        found = _collected(export_history(instance_id, tenant=tenant_of(request)))
        name, kind = f"{instance_id}.jsonl", "application/x-ndjson"
        answer: HttpResponse | FileResponse
        if isinstance(found, bytes):
            answer = HttpResponse(found, content_type=kind)
            answer["Content-Disposition"] = content_disposition_header(True, name)
        else:
            answer = FileResponse(found, as_attachment=True, filename=name, content_type=kind)
        answer["X-Content-Type-Options"] = "nosniff"
        return answer


def _collected(lines: Iterator[str]) -> bytes | IO[bytes]:
    """Return all lines, in a file that the response closes where they are too many for memory."""
    held = bytearray()
    for line in lines:
        held += line.encode("ascii")
        if len(held) > _IN_MEMORY_BYTES:
            break
    else:
        return bytes(held)
    file = TemporaryFile()  # noqa: SIM115 - the response closes it
    try:
        file.write(held)
        file.writelines(line.encode("ascii") for line in lines)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


class InstanceErase(Resource):
    """Personal data of one instance."""

    @documented(
        "Erase values and free text from an instance's history, and from its rows where it has ended",
        tag=_TAG,
        name="erasePersonalData",
        body=ERASE,
        answer=schema_of(DataErased),
        write=True,
    )
    def post(self, request: Request, instance_id: str) -> Response:
        """Erase what is not current; an operator's act."""
        fields, context = read_write_call(request, ERASE)
        return Response(engine.erase_personal_data(instance_id, **fields, **context))
