"""Spans of OpenTelemetry."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bpm import engine
from bpm.project.monitoring.traces import span_maker
from tests.support.loop_models import deploy, process


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    record = span_maker()
    assert record is not None
    engine.watch(record)
    try:
        yield exporter
    finally:
        engine.unwatch(record)
        provider.shutdown()


def test_each_execution_is_a_span(transactional_db: None, spans: InMemorySpanExporter) -> None:
    deploy(process("p", "<userTask ID/>"))
    started = engine.start("p")
    engine.start_many([engine.Start(process="p"), engine.Start(process="p")])
    single, batch = spans.get_finished_spans()
    assert (single.name, batch.name) == ("StartInstance", "StartInstance")
    assert dict(single.attributes or {})["bpm.instance"] == started["instance_id"]
    assert dict(batch.attributes or {})["bpm.commands"] == 2
    assert single.end_time is not None
    assert single.start_time is not None
    assert single.start_time < single.end_time
    assert single.status.is_ok
