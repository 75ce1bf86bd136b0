"""Which tenant a request is for."""

from __future__ import annotations

from rest_framework.request import Request

from api.request_errors import invalid

MAX_TENANT = 100


def tenant_of(request: Request) -> str:
    """Return the tenant of the `x-tenant-id` header, the default tenant (empty text) without one.

    Raises:
        RequestInvalid: more than 100 characters, or others than printable ASCII.
    """
    tenant: str = request.META.get("HTTP_X_TENANT_ID", "")
    if len(tenant) > MAX_TENANT or not (tenant.isascii() and tenant.isprintable()):
        raise invalid("x-tenant-id", "header", f"Expected at most {MAX_TENANT} printable ASCII characters.")
    return tenant
