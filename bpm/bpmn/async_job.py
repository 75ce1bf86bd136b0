"""Asynchronous continuations and the retries of a node's jobs (semantics §4)."""

from __future__ import annotations

import re
from typing import Any, Final

from bpm.bpmn.tags import is_true
from bpm.core.reading import Reading
from bpm.core.timing import TimingSyntaxError, parse_duration
from bpm.core.xml import XmlElement

_DEFAULT_ATTEMPTS: Final = 3
_MAX_ATTEMPTS: Final = 1_000
_REPEATED: Final = re.compile(r"R(\d{1,9})/(P[^/]*)")


def read_job(xml: XmlElement, reading: Reading) -> dict[str, Any]:
    """Return `before`, `after`, `job_retries`, `job_delays` and `job_priority` of a flow node.

    The priority is the node's own, else its process's.

    `exclusive` is accepted and always true. `async` is the old name of `asyncBefore`.
    """
    attempts = _DEFAULT_ATTEMPTS
    delays: tuple[str, ...] = ()
    cycle = next(xml.extensions("failedJobRetryTimeCycle"), None)
    if cycle is not None and cycle.text.strip():
        attempts, delays = _read_cycle(cycle, cycle.text.strip(), reading)
    priority = xml.extension("jobPriority") or reading.process_extension("jobPriority")
    return {
        "before": is_true(xml.extension("asyncBefore")) or is_true(xml.extension("async")),
        "after": is_true(xml.extension("asyncAfter")) or is_true(xml.extension("asyncLeave")),
        "job_retries": attempts,
        "job_delays": delays,
        "job_priority": reading.expression(xml, priority) if priority else None,
    }


def _read_cycle(xml: XmlElement, text: str, reading: Reading) -> tuple[int, tuple[str, ...]]:
    """Return attempts and delays of `R3/PT10S` (three attempts) or `PT10M,PT17M` (one more than delays)."""
    delays: tuple[str, ...]
    repeated = _REPEATED.fullmatch(text)
    if repeated is not None:
        attempts, delays = int(repeated[1]), (repeated[2],)
    else:
        delays = tuple(part.strip() for part in text.split(","))
        attempts = len(delays) + 1
    try:
        positive = all(parse_duration(delay).to_iso()[0] == "P" for delay in delays)
    except TimingSyntaxError:
        positive = False
    if positive and 1 <= attempts <= _MAX_ATTEMPTS:
        return attempts, delays
    reading.problem(xml, "job-retry-cycle", f"{text!r} is no retry cycle such as R3/PT10S or PT10M,PT17M.")
    return _DEFAULT_ATTEMPTS, ()
