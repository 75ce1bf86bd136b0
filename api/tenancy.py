"""Which tenant a request is for."""

from __future__ import annotations

from rest_framework.request import Request

from api.request_errors import invalid
from bpm.access.caller import the_caller

MAX_TENANT = 100


def tenant_of(request: Request) -> str:
    """Return the tenant in which the caller acts: one of its own, whatever the header says."""
    return the_caller().tenant


def asked_tenant(request: Request) -> str | None:
    """Return what the `x-tenant-id` header says, None without one; nobody has checked whose it is.

    Raises:
        RequestInvalid: more than 100 characters, or others than printable ASCII.
    """
    tenant: str | None = request.META.get("HTTP_X_TENANT_ID")
    if tenant is not None and (len(tenant) > MAX_TENANT or not (tenant.isascii() and tenant.isprintable())):
        raise invalid("x-tenant-id", "header", f"Expected at most {MAX_TENANT} printable ASCII characters.")
    return tenant
