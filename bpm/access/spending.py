"""What a caller uses: requests and running instances, counted where they are limited and nowhere else."""

from __future__ import annotations

import time
from typing import Final, NamedTuple

from django.db import connection

from bpm.access.caller import Caller
from bpm.queries.running import is_running_more_than

MINUTE_S: Final = 60
INSTANCES_RETRY_S: Final = 10
_COUNT: Final = (
    "INSERT INTO bpm_access_requestwindow (subject, minute, requests) VALUES (%s, %s, 1) "
    "ON CONFLICT (subject) DO UPDATE SET requests = CASE "
    "WHEN bpm_access_requestwindow.minute = excluded.minute THEN bpm_access_requestwindow.requests + 1 ELSE 1 END, "
    "minute = excluded.minute RETURNING requests"
)


class Excess(NamedTuple):
    """A rate that is used up.

    Attributes:
        retry_after_s: whole seconds until the next minute begins.
    """

    limit: int
    retry_after_s: int


def count_request(caller: Caller, now_s: float | None = None) -> Excess | None:
    """Count a request against each rate of a caller; return the first that is used up. One statement per rate.

    Minutes begin at whole minutes of the clock, so that at most twice the limit passes in any 60 seconds.
    """
    now = time.time() if now_s is None else now_s
    minute = int(now // MINUTE_S)
    for bounds in caller.bounds:
        limit = bounds.requests_per_minute
        if limit is not None and _counted(bounds.subject, minute) > limit:
            return Excess(limit, MINUTE_S - int(now % MINUTE_S))
    return None


def exhausted_instances(caller: Caller) -> int | None:
    """Return the limit of running instances if it is reached. One statement where there is one.

    Those that start at the same moment do not see each other, so a few more may come to run.
    """
    limit = caller.least("running_instances")
    if limit is None or not is_running_more_than(limit - 1, tenant=caller.tenant):
        return None
    return limit


def _counted(subject: str, minute: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [subject, minute])
        return int(cursor.fetchone()[0])
