"""Brings every instance of a database to its end, as this release would: `python -m tests.support.finishing`."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta


def main() -> None:
    """Do it, verify everything, and print statuses by business key and what the verification found."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bpm.project.settings")
    import django

    django.setup()
    from bpm.models import ProcessInstance
    from bpm.shell.verifying import changed_since, find_strays, verify_each

    for _ in range(10):
        _round()
    statuses = dict(ProcessInstance.objects.exclude(business_key=None).values_list("business_key", "status"))
    findings = [str(finding) for result in verify_each(changed_since(None)) for finding in result.findings]
    findings += [str(stray) for stray in find_strays()]
    print(json.dumps({"statuses": statuses, "findings": findings}))


def _round() -> None:
    from bpm import engine
    from bpm.jobs.tick import tick_once
    from bpm.models import Incident, ProcessInstance, Subscription, UserTask
    from bpm.shell.clock import frozen

    tick_once(run_handlers=False)
    # Whatever an hour, a lease or a back-off keeps waiting comes due.
    with frozen(datetime.now(UTC) + timedelta(hours=1, minutes=30)):
        engine.expire_leases(100)
        engine.fire_due_timers(100)
        for task in engine.fetch_and_lock("new", topics=["t", "payment"], max_tasks=10, lock_ms=60_000):
            engine.complete_external_task(task["task_id"], worker="new", variables={"paid": True})
    for instance in ProcessInstance.objects.filter(status="SUSPENDED").values_list("id", flat=True):
        engine.activate(str(instance))
    for incident in Incident.objects.filter(status="OPEN"):
        engine.set_variables(str(incident.instance_id), variables={"missing": {"value": 1}})
        engine.resolve_incident(str(incident.id))
    for subscription in Subscription.objects.filter(status="OPEN", kind="message", token__isnull=False):
        engine.correlate(subscription.name, instance=str(subscription.instance_id))
    for user_task in UserTask.objects.filter(status="OPEN").values_list("id", flat=True):
        engine.complete_task(str(user_task))
    engine.deliver_due(100)


if __name__ == "__main__":
    main()
