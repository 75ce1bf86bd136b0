"""Two addresses that fail like a bug would, with something secret at hand."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import path
from rest_framework.request import Request

from api.resource import Resource
from bpm.project.urls import urlpatterns as every

SECRET = "s3cr3t-of-somebody"


class Broken(Resource):
    """A resource that fails."""

    permission_classes = ()

    def get(self, request: Request) -> Any:
        local = SECRET
        raise RuntimeError(f"password={local}")


def broken(request: HttpRequest) -> HttpResponse:
    """A page that fails."""
    local = SECRET
    raise RuntimeError(f"password={local}")


urlpatterns = [path("api/v1/broken", Broken.as_view()), path("cockpit/broken/", broken), *every]
