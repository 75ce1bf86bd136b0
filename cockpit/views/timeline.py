"""The time line of tokens: the page, and the pieces that its script reads."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import render

from bpm.queries.timeline import TimelineStep, timeline
from cockpit.access import operator_page, tenant_of
from cockpit.instance_frame import instance_frame

_MAX_SEQUENCE = 2**31 - 1


@operator_page
def timeline_page(request: HttpRequest, instance_id: str) -> HttpResponse:
    """Show the frame of the time line. Four statements."""
    return render(request, "cockpit/timeline.html", instance_frame(request, instance_id, "timeline"))


@operator_page
def timeline_piece(request: HttpRequest, instance_id: str) -> HttpResponse:
    """Return the events after the sequence `after`. Two statements.

    The answer is short on purpose: a step is `[sequence, ms since the start, type, token, node, status, final,
    details]`, where type, token and node are numbers of the lists beside.
    """
    after = request.GET.get("after", "-1")
    if not after.removeprefix("-").isdigit() or not -1 <= int(after) <= _MAX_SEQUENCE:
        return HttpResponseBadRequest("after")
    piece = timeline(instance_id, tenant=tenant_of(request), after=int(after))
    lists: dict[str, dict[str, int]] = {"types": {}, "tokens": {}, "nodes": {}}

    def number(name: str, value: object) -> int:
        known = lists[name]
        return known.setdefault(str(value), len(known)) if value is not None else -1

    def line(step: TimelineStep) -> list[Any]:
        at = round((step.occurred_at - piece.started_at).total_seconds() * 1_000, 3)
        return [
            step.sequence, at, number("types", step.event_type), number("tokens", step.token_id),
            number("nodes", step.node_id), step.status, int(step.final), step.details,
        ]  # fmt: skip

    steps = [line(step) for step in piece.steps]
    answer = {"status": piece.status, "started_at": piece.started_at, "more": piece.more, "steps": steps}
    return JsonResponse(answer | {name: list(values) for name, values in lists.items()})
