"""/openapi.json, and a page to try the calls."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

from api.row_schema import COMPONENTS

SETTINGS: Final[dict[str, Any]] = {
    "TITLE": "BPM engine",
    "DESCRIPTION": (
        "Start processes, work on their tasks, look at what happens. Lists are pages: `next` of one is `cursor` of the "
        "following. Errors are RFC 9457 problems with a stable `code`."
    ),
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "APPEND_COMPONENTS": {"schemas": COMPONENTS},
    "SCHEMA_PATH_PREFIX": "/api/v[0-9]",
    "COMPONENT_SPLIT_REQUEST": False,
}


class OpenApiDocument(SpectacularJSONAPIView):
    """The OpenAPI document; public, because it holds nothing that the source does not."""

    authentication_classes = ()
    permission_classes = ()
    custom_settings = SETTINGS


class TryPage(SpectacularSwaggerSplitView):
    """Swagger UI, all of it from this server."""

    permission_classes = ()
    url_name = "api:openapi"
