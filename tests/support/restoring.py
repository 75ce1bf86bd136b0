"""What happens before and after a restore, each in a process of its own: `python -m tests.support.restoring before`."""

from __future__ import annotations

import json
import os
import sys
from datetime import datetime, timedelta
from typing import Any

TIMERS, TASKS = 5, 3
_LATER = timedelta(hours=2)


def main(part: str) -> None:
    """Do one part; what it found or left is printed as JSON."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bpm.project.settings")
    import django

    django.setup()
    print(json.dumps({"prepare": _prepare, "before": _before, "after": _after}[part]()))


def _now() -> datetime:
    from bpm.shell.database_clock import database_now

    return database_now()


def _prepare() -> dict[str, Any]:
    """Deploy, and leave something for the base backup."""
    from bpm import engine
    from tests.support.loop_models import deploy, external, process, timer

    deploy(process("waits", timer("PT1H")), process("works", external("t")), process("short"))
    return {"started": engine.start("short")["instance_id"]}


def _before() -> dict[str, Any]:
    """Let instances wait, and give a lease; then comes the moment, and after it what a restore to it takes back."""
    import time

    from bpm import engine
    from bpm.shell import due
    from bpm.shell.clock import frozen

    engine.start_many([engine.Start(process="waits") for _ in range(TIMERS)])
    engine.start_many([engine.Start(process="works") for _ in range(TASKS)])
    (early,) = engine.fetch_and_lock("early", topics=["t"], max_tasks=1, lock_ms=60_000)
    time.sleep(0.2)
    moment = _now()
    time.sleep(0.2)
    (late,) = engine.fetch_and_lock("late", topics=["t"], max_tasks=1, lock_ms=60_000)
    (done,) = engine.fetch_and_lock("done", topics=["t"], max_tasks=1, lock_ms=60_000)
    engine.complete_external_task(done["task_id"], worker="done")
    lost = engine.start("short")["instance_id"]
    with frozen(_now() + _LATER):
        assert len(due.fire_due_timers().done) == TIMERS
    return {"moment": moment.isoformat(), "early": early, "late": late, "done": done, "lost": lost}


def _after() -> dict[str, Any]:
    """Look at what is there, let it go on, and say what came of it. Reads what `before` printed."""
    from bpm import engine
    from bpm.models import ExternalTask, HistoryEvent, ProcessInstance
    from bpm.shell import due
    from bpm.shell.clock import frozen

    known = json.loads(sys.stdin.read())
    found: dict[str, Any] = {
        "running": ProcessInstance.objects.filter(status="RUNNING").count(),
        "lost": ProcessInstance.objects.filter(id=known["lost"]).exists(),
        "fired_before": HistoryEvent.objects.filter(event_type="TimerFired").count(),
        "refused": [name for name in ("late", "done") if _is_refused(known, name)],
    }
    with frozen(_now() + _LATER):
        found["refused"] += [name for name in ("early",) if _is_refused(known, name)]
        found["fired"] = [len(due.fire_due_timers().done) for _ in range(2)]
        due.expire_leases()
        for task in engine.fetch_and_lock("new", topics=["t"], max_tasks=10, lock_ms=60_000):
            engine.complete_external_task(task["task_id"], worker="new", lease=task["lease_id"])
    completed = HistoryEvent.objects.filter(event_type="ExternalTaskCompleted")
    return found | {
        "timers_fired": HistoryEvent.objects.filter(event_type="TimerFired").count(),
        "tasks_completed": [completed.count(), ExternalTask.objects.filter(status="COMPLETED").count()],
        "not_ended": ProcessInstance.objects.exclude(status="COMPLETED").count(),
    }


def _is_refused(known: dict[str, Any], name: str) -> bool:
    from bpm import engine
    from bpm.core.errors import LeaseConflict

    try:
        engine.complete_external_task(known[name]["task_id"], worker=name, lease=known[name]["lease_id"])
    except LeaseConflict:
        return True
    return False


if __name__ == "__main__":
    main(sys.argv[1])
