"""Gauges read from the database when they are asked for."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from bpm import engine
from bpm.queries.stock import Stock, count_stock

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

FRESH_S: Final = 5.0
"""So often at most a process counts, however many ask."""

HELP: Final = {
    "instances": "Instances that have not ended.",
    "tokens": "Tokens that can still move.",
    "user_tasks": "Open user tasks.",
    "external_tasks": "External tasks that are not done; FAILED ones are dead letters.",
    "jobs": "Jobs of the engine that are not done.",
    "timers": "Timers that have not fired.",
    "subscriptions": "Open subscriptions.",
    "incidents": "Open incidents.",
    "outbox": "Rows on their way to other instances.",
    "messages": "Messages that wait for a receiver.",
}
_LABEL: Final = {"subscriptions": "kind", "incidents": "kind", "user_tasks": "assignment", "timers": "state"}


class StockMetrics:
    """A collector for prometheus_client."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read_at = float("-inf")
        self._stock: Stock | None = None
        self._life: engine.Life | None = None

    def collect(self) -> Iterator[Metric]:
        """Yield the gauges. Statements: at most 4, none while the last reading is fresh."""
        from prometheus_client.core import GaugeMetricFamily

        stock, life = self._read()
        for noun, counts in stock.counts.items():
            label = _LABEL.get(noun, "status")
            family = GaugeMetricFamily(f"bpm_{noun}", HELP[noun], labels=[label])
            for apart, number in sorted(counts.items()):
                family.add_metric([apart], number)
            yield family
        yield GaugeMetricFamily(
            "bpm_timers_overdue", "Timers that are due and have not fired.", stock.counts["timers"]["overdue"]
        )
        yield GaugeMetricFamily(
            "bpm_loop_lag_seconds",
            "By how much the loops were behind the work due longest.",
            life.lag_ms / 1_000,
        )
        for name, age_s in (("loop", life.loop_age_s), ("queue", life.queue_age_s)):
            if age_s is not None:
                yield GaugeMetricFamily(
                    f"bpm_{name}_age_seconds", f"Time since the {name} last gave a sign of life.", age_s
                )

    def _read(self) -> tuple[Stock, engine.Life]:
        with self._lock:
            if self._stock is None or self._life is None or time.monotonic() - self._read_at > FRESH_S:
                self._stock, self._life = count_stock(), engine.signs_of_life()
                self._read_at = time.monotonic()
            return self._stock, self._life
