"""Whether an instance's history and rows agree."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from bpm.queries.verification import verify_instance
from cockpit.access import operator_page, tenant_of


@operator_page
def verification(request: HttpRequest, instance_id: str) -> HttpResponse:
    """Verify the instance now, and show what was found. Statements: as `verify_instance`."""
    return render(
        request,
        "cockpit/verification.html",
        {"found": verify_instance(instance_id, tenant=tenant_of(request))},
    )
