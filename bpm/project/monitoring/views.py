"""/health, /ready and /metrics: for load balancers, supervisors and Prometheus."""

from __future__ import annotations

import os

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from bpm.project.monitoring import process_files
from bpm.project.monitoring.command_metrics import command_metrics
from bpm.project.monitoring.readiness import check_readiness
from bpm.project.monitoring.scraper import may_scrape
from bpm.project.monitoring.stock_metrics import StockMetrics

_stock = StockMetrics()


@never_cache
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """Answer 200 while this process can answer at all; asks nothing of the database."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """Answer 200 when everything works that work needs, else 503 that names what does not."""
    found = check_readiness()
    status = "ready" if found.ready else "not ready"
    return JsonResponse({"status": status, "checks": found.checks}, status=200 if found.ready else 503)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer with the counters of all processes of this machine and the numbers of the database."""
    if not may_scrape(request):
        raise PermissionDenied("Metrics are for superusers and for the token of BPM_METRICS_TOKEN.")
    from prometheus_client import CollectorRegistry
    from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
    from prometheus_client.multiprocess import MultiProcessCollector

    gauges = CollectorRegistry()
    gauges.register(_stock)
    text = generate_latest(gauges)
    if os.environ.get(process_files.VARIABLE):
        with process_files.settled_folder() as folder:
            counters = CollectorRegistry()
            MultiProcessCollector(counters, path=str(folder))
            text += generate_latest(counters)
    else:
        text += generate_latest(command_metrics().registry)
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)
