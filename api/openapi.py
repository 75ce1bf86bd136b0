"""/openapi.json, and a page to try the calls."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any, Final

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import patched_settings
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response

from api.documented import SECURITY
from api.resource import Resource
from api.row_schema import COMPONENTS

_SETTINGS: Final[dict[str, Any]] = {
    "TITLE": "BPM engine",
    "DESCRIPTION": (
        "Start processes, work on their tasks, look at what happens. Lists are pages: `next` of one page is "
        "`cursor` of the following. Errors are RFC 9457 problems with a stable `code`."
    ),
    "VERSION": "1",
    "APPEND_COMPONENTS": {"schemas": COMPONENTS, "securitySchemes": SECURITY},
    "SCHEMA_PATH_PREFIX": "/api/v[0-9]",
}
_one_at_a_time: Final = threading.Lock()


@cache
def _document() -> dict[str, Any]:
    with patched_settings(_SETTINGS):
        document: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return document


def document() -> dict[str, Any]:
    """Return the OpenAPI document; it is made once per process."""
    # The generator's settings are the process's, so two threads must not make it at once.
    with _one_at_a_time:
        return _document()


@extend_schema(exclude=True)
class OpenApiDocument(Resource):
    """The OpenAPI document; public, because it holds nothing that the source does not."""

    authentication_classes = ()
    permission_classes = ()

    def get(self, request: Request) -> Response:
        """Return it."""
        return Response(document())


class TryPage(SpectacularSwaggerSplitView):
    """Swagger UI, all of it from this server."""

    permission_classes = ()
    url_name = "api:openapi"
