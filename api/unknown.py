"""Every other address below /api/v1/."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.resource import Resource


@extend_schema(exclude=True)
class Unknown(Resource):
    """Answers 404 as a problem instead of an HTML page."""

    permission_classes = ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse at once, whatever the method."""
        raise Http404

    def get(self, request: Request, rest: str) -> Response:
        """Never reached."""
        raise Http404
