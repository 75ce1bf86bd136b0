"""Dates, durations and cycles of timers (semantics §6): pure functions of their arguments.

Instants are aware and in UTC. Years, months, weeks and days are counted on the calendar and wall
clock of a zone, hours and less as elapsed time.
"""

from __future__ import annotations

from bpm.core.timing.cron import CronSchedule, parse_cron
from bpm.core.timing.cycle import Cycle, parse_cycle
from bpm.core.timing.date import parse_date
from bpm.core.timing.duration import Duration, parse_duration
from bpm.core.timing.errors import TimingSyntaxError

__all__ = [
    "CronSchedule",
    "Cycle",
    "Duration",
    "TimingSyntaxError",
    "parse_cron",
    "parse_cycle",
    "parse_date",
    "parse_duration",
]
