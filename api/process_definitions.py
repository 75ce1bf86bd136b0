"""/process-definitions: list, look at, and the file itself."""

from __future__ import annotations

from typing import Final

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import Deleted
from api.definition_operations import DELETE
from api.documented import documented
from api.kinds import Flag, Text
from api.paging import list_query, split_page
from api.resource import NOTHING, Resource, read_write_call
from api.row_schema import page_of, schema_of
from api.shapes import Field, Query
from api.tenancy import tenant_of
from bpm import engine
from bpm.queries.definitions import (
    DefinitionDetail,
    DefinitionRow,
    definition_file,
    find_definition,
    list_definitions,
)

_TAG: Final = "process definitions"
LIST: Final = list_query(
    process_def_id=Field(Text(), about="versions of this process"),
    latest=Field(Flag(), default=False, about="newest version of each process only"),
)
_NONE: Final = Query()


class ProcessDefinitions(Resource):
    """The collection."""

    @documented(
        "List definitions by key and version",
        tag=_TAG,
        name="listProcessDefinitions",
        query=LIST,
        answer=page_of(DefinitionRow),
    )
    def get(self, request: Request) -> Response:
        """Return a page."""
        filters, page = split_page(LIST.read(request.query_params))
        return Response(list_definitions(tenant_of(request), **filters, **page))


class ProcessDefinition(Resource):
    """One version."""

    @documented(
        "Show one version",
        tag=_TAG,
        name="getProcessDefinition",
        query=_NONE,
        answer=schema_of(DefinitionDetail),
    )
    def get(self, request: Request, definition_id: str) -> Response:
        """Return it with its warnings."""
        _NONE.read(request.query_params)
        return Response(find_definition(definition_id, tenant=tenant_of(request)))

    @documented(
        "Delete one version; the starts of the latest go to the one before",
        tag=_TAG,
        name="deleteProcessDefinition",
        query=DELETE,
        body=NOTHING,
        answer=schema_of(Deleted),
        write=True,
    )
    def delete(self, request: Request, definition_id: str) -> Response:
        """Delete it; an operator's act. It is still shown to whoever knows its id, for the history."""
        options = DELETE.read(request.query_params)
        _, context = read_write_call(request, NOTHING)
        return Response(engine.delete_definition(definition_id, **options, **context))


class ProcessDefinitionXml(Resource):
    """The file of one version."""

    @documented(
        "Get the file of one version, byte for byte as deployed",
        tag=_TAG,
        name="getProcessDefinitionXml",
        query=_NONE,
        answer={"type": "string", "format": "binary"},
        answer_type="application/xml",
    )
    def get(self, request: Request, definition_id: str) -> HttpResponse:
        """Return the bytes; a browser downloads them instead of showing what somebody deployed."""
        _NONE.read(request.query_params)
        found = definition_file(definition_id, tenant=tenant_of(request))
        # Without charset: the file's own XML declaration says it.
        answer = HttpResponse(found.content, content_type="application/xml")
        answer["Content-Disposition"] = "attachment"
        answer["X-Content-Type-Options"] = "nosniff"
        return answer
