"""What the demo tells its user."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from bpm.jobs.programs import Program
from bpm.management.demo.preparation import USER, Prepared

_COLUMN = 16


def welcome(url: str, prepared: Prepared, programs: list[Program], var: str) -> Iterator[str]:
    """Yield what runs, and how to get in."""
    yield ""
    yield f"{'web server':<{_COLUMN}}{url}"
    yield f"{'API':<{_COLUMN}}{url}/api/v1  (try it: {url}/api/v1/docs)"
    yield f"{'':<{_COLUMN}}open to programs of this machine without a token: in this demo only"
    yield f"{'cockpit':<{_COLUMN}}{url}/cockpit/  user {USER}, password {prepared.password}"
    yield f"{'admin pages':<{_COLUMN}}{url}/admin/  the same user"
    yield f"{'token':<{_COLUMN}}{prepared.token}  (header: Authorization: Token …)"
    yield f"{'processes':<{_COLUMN}}{', '.join(prepared.processes)}"
    yield f"{'programs':<{_COLUMN}}{', '.join(f'{one.name} (pid {one.pid})' for one in programs)}"
    yield f"{'data and logs':<{_COLUMN}}{var}"
    yield ""


def outcome(process: str, instance: dict[str, Any]) -> str:
    """Return one line about an instance."""
    where = ""
    if instance["status"] == "COMPLETED":
        where = f"after {_seconds(instance):.2f} s"
    elif instance["current_nodes"]:
        where = "waits at " + ", ".join(instance["current_nodes"])
    return f"{process:<{_COLUMN}}{instance['instance_id']}  {instance['status']} {where}".rstrip()


def _seconds(instance: dict[str, Any]) -> float:
    started, ended = (datetime.fromisoformat(instance[name]) for name in ("started_at", "ended_at"))
    return (ended - started).total_seconds()


def trace_lines(trace: dict[str, Any]) -> Iterator[str]:
    """Yield a trace line by line: each token, then each external task."""
    for token in trace["tokens"]:
        yield f"  token {token['token_id']}"
        for step in token["steps"]:
            reason = step["wait"] or step["reason"]
            text = f"{step['event_type']:<22}{step['node_id']:<10} {step['status'] or ''} {reason}"
            yield f"    {step['sequence']:>3}  {text}".rstrip()
    for task in trace["external_tasks"]:
        yield f"  external task {task['task_id']} at {task['node_id']}"
        for step in task["steps"]:
            yield f"    {step['sequence']:>3}  {step['event_type']:<22}{step['actor']}".rstrip()


def what_to_try(url: str, order: str, programs: list[Program]) -> Iterator[str]:
    """Yield commands worth trying."""
    api = f"{url}/api/v1"
    pids = {one.name: one.pid for one in programs}
    yield ""
    yield "Try, in another terminal:"
    yield ""
    yield "# start a payment; the worker does its task"
    yield f"curl -s -X POST {api}/process-instances -H 'Content-Type: application/json' \\"
    yield """  -d '{"process_def_id": "payment-flow", "variables": {"amount": 4200}}'"""
    yield ""
    yield "# the order above waits for a person: find the task, complete it, look at the order"
    yield f"curl -s '{api}/tasks?type=user'"
    yield f"curl -s -X POST {api}/tasks/TASK_ID/complete -H 'Content-Type: application/json' -d '{{}}'"
    yield f"curl -s {api}/process-instances/{order}"
    yield f"curl -s {api}/process-instances/{order}/trace"
    yield ""
    yield "# deploy a file of your own"
    yield f"curl -s -X POST '{api}/process-definitions/deploy?name=mine' --data-binary @file.bpmn"
    yield ""
    yield "# kill what you like; it is started again, and every instance goes on"
    yield f"kill -9 {pids['web']} {pids['cluster']} {pids['worker']}"
    yield ""
    yield "Ctrl-C ends everything."
