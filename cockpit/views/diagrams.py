"""Files for the diagram viewer."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from bpm.queries.diagrams import diagram
from cockpit.access import cacheable_operator_page, tenant_of


@cacheable_operator_page
def diagram_file(request: HttpRequest, definition_id: str) -> HttpResponse:
    """Return a BPMN file that draws the version, laid out where it draws nothing itself. Two statements at most."""
    content = diagram(definition_id, tenant=tenant_of(request))
    answer = HttpResponse(content, content_type="application/xml")
    # A version never changes; the browser of somebody who may see it may keep it for a while.
    answer["Cache-Control"] = "private, max-age=600"
    answer["Vary"] = "Cookie"
    return answer
