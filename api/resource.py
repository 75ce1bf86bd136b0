"""What all resources have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypedDict

from drf_spectacular.openapi import AutoSchema
from rest_framework.authentication import BaseAuthentication
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.permissions import BasePermission
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from api.access import ByRule
from api.authentication import AUTHENTICATION
from api.bodies import read_body, read_json, require_plain
from api.documented import query_of
from api.framing import require_length
from api.idempotency import idempotency_of
from api.problems import handle
from api.raw_query import require_utf8
from api.rendering import ExactJson
from api.shapes import ListOf, Query, Shape
from api.tenancy import tenant_of
from bpm.access.caller import one_request
from bpm.engine import Idempotency

_NO_QUERY: Final = Query()


class AlwaysJson(BaseContentNegotiation):
    """There is one representation, whatever `Accept` says."""

    def select_parser(self, request: Request, parsers: Any) -> BaseParser:
        """Return the only one."""
        parser: BaseParser = parsers[0]
        return parser

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return the only one."""
        return renderers[0], renderers[0].media_type


class Context(TypedDict):
    """What every call of the write front door gets."""

    tenant: str
    actor: str
    key: Idempotency | None


class Resource(APIView):
    """Base of the views: JSON only, problems as answers, callers known."""

    authentication_classes: Sequence[type[BaseAuthentication]] = AUTHENTICATION
    permission_classes: Sequence[type[BasePermission]] = (ByRule,)
    renderer_classes = (ExactJson,)
    content_negotiation_class = AlwaysJson
    schema = AutoSchema()

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Answer a request; its caller is forgotten with it."""
        with one_request():
            return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse what cannot be read, and query parameters that this call does not know.

        Without its body a call is refused before anybody asks who is calling; a host may lack the middleware.
        """
        require_length(request)
        super().initial(request, *args, **kwargs)
        require_plain(request)
        require_utf8(request)
        call = getattr(self, str(request.method).lower(), None)
        if call is not None and request.method != "OPTIONS" and query_of(call) is None:
            _NO_QUERY.read(request.query_params)

    def get_exception_handler(self) -> Any:
        """Return the handler, whatever project hosts the API."""
        return handle


def read_write_call(request: Request, shape: Shape | ListOf) -> tuple[Any, Context]:
    """Return the fields of a writing request's body and the context of its call.

    Raises:
        RequestInvalid, BodyTooLarge, MediaTypeUnsupported: see `api.bodies`.
        VariableTooLarge: larger than the caller may send.
    """
    body = read_body(request)
    return read_json(request, body, shape), write_context(request, body)


def write_context(request: Request, body: bytes) -> Context:
    """Return tenant, actor and idempotency key of a writing request.

    Raises:
        RequestInvalid: a header breaks its rule.
    """
    actor = request.user.get_username()
    return Context(
        tenant=tenant_of(request),
        actor=actor,
        key=idempotency_of(request, actor, body),
    )


NOTHING: Final = Shape("Nothing")
"""Body of calls that need none: empty, or an empty object."""
