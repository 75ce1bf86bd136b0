"""Who may call which REST address: the one table that the API enforces (docs/reference/access.md shows it).

Addresses are those of `api.urls`, methods as they are sent; HEAD counts as GET. An address or method without a rule
is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bpm.access.rule import ADMINISTER, COMPLETE, DEPLOY, OPERATE, PUBLIC, START, VIEW, WORK, Rule, needs

_SEE: Final = {"GET": needs(VIEW)}
_THEIRS: Final = "of a user task: its assignee or, unassigned, a candidate"
_OWN_SESSION: Final = "only of a session of one's own"
_NARROWED: Final = "one who may not for all processes names the process or the instance"


def _operate(subject: str) -> dict[str, Rule]:
    return {"POST": needs(OPERATE, of=subject)}


def _complete() -> dict[str, Rule]:
    return {"POST": needs(COMPLETE, of="user_task", note=_THEIRS)}


def _work(note: str = "") -> dict[str, Rule]:
    return {"POST": needs(WORK, of="external_task", note=note)}


_INSTANCES: Final[Mapping[str, Mapping[str, Rule]]] = {
    "process-instances": {
        "GET": needs(VIEW),
        "POST": needs(START, starts=True, note="with start_instructions: operate"),
    },
    "process-instances/<str:instance_id>": _SEE,
    "process-instances/<str:instance_id>/cancel": _operate("instance"),
    "process-instances/<str:instance_id>/suspend": _operate("instance"),
    "process-instances/<str:instance_id>/activate": _operate("instance"),
    "process-instances/<str:instance_id>/modify": _operate("instance"),
    "process-instances/<str:instance_id>/migrate": _operate("instance"),
    "process-instances/<str:instance_id>/explain": _SEE,
    "process-instances/<str:instance_id>/scopes": _SEE,
    "process-instances/<str:instance_id>/variables": _SEE
    | {"POST": needs(OPERATE, of="instance"), "PUT": needs(OPERATE, of="instance")},
    "process-instances/<str:instance_id>/variables/<str:name>": {"DELETE": needs(OPERATE, of="instance")},
    "process-instances/<str:instance_id>/history": _SEE,
    "process-instances/<str:instance_id>/trace": _SEE,
    "process-instances/<str:instance_id>/history/proof": _SEE,
    "process-instances/<str:instance_id>/history/export": _SEE,
    "process-instances/<str:instance_id>/verify": _SEE,
    "process-instances/<str:instance_id>/erase": _operate("instance"),
    "process-instances/<str:instance_id>/replay": _SEE | {"POST": needs(VIEW, of="instance")},
    "replay/<str:session_id>": _SEE | {"DELETE": needs(VIEW, note=_OWN_SESSION)},
    "replay/<str:session_id>/step": {"POST": needs(VIEW, note=_OWN_SESSION)},
    "replay/<str:session_id>/seek": {"POST": needs(VIEW, note=_OWN_SESSION)},
    "replay/<str:session_id>/snapshot": _SEE,
    "tokens/<str:token_id>/retry": _operate("token"),
    "tokens/<str:token_id>/variables": {"PUT": needs(OPERATE, of="token")},
    "migrations/plan": {"POST": needs(OPERATE, note="of both versions")},
    "migrations/preview": {"POST": needs(OPERATE, note="of both versions")},
    "migrations/execute": {"POST": needs(OPERATE, note="of both versions")},
}
_DEFINITIONS: Final[Mapping[str, Mapping[str, Rule]]] = {
    "process-definitions": {"GET": needs(VIEW, START, DEPLOY)},
    "process-definitions/deploy": {"POST": needs(DEPLOY, note="of every process in the files")},
    "process-definitions/<str:definition_id>": {
        "GET": needs(VIEW, START, DEPLOY),
        "DELETE": needs(OPERATE, of="definition"),
    },
    "process-definitions/<str:definition_id>/xml": {"GET": needs(VIEW, START, DEPLOY)},
    "process-definitions/<str:definition_id>/start-form": {"GET": needs(VIEW, START)},
    "process-definitions/<str:definition_id>/suspend": _operate("definition"),
    "process-definitions/<str:definition_id>/activate": _operate("definition"),
    "process-definitions/<str:definition_id>/starts": {"GET": needs(VIEW, START, DEPLOY)},
    "process-definitions/<str:definition_id>/starts/<str:start_id>": {
        "PATCH": needs(OPERATE, of="definition"),
        "DELETE": needs(OPERATE, of="definition"),
    },
    "process-definitions/<str:definition_id>/starts/<str:start_id>/trigger": _operate("definition"),
    "deployments/<str:deployment_id>": {"DELETE": needs(OPERATE, of="deployment")},
}
_TASKS: Final[Mapping[str, Mapping[str, Rule]]] = {
    "tasks": {"GET": needs(VIEW, COMPLETE, WORK, note="shows only what one may do, unless one may view")},
    "tasks/<str:task_id>": {
        "GET": needs(VIEW, COMPLETE, WORK),
        "PATCH": needs(OPERATE, of="user_task"),
    },
    "tasks/<str:task_id>/complete": _complete(),
    "tasks/<str:task_id>/claim": _complete(),
    "tasks/<str:task_id>/unclaim": _complete(),
    "tasks/<str:task_id>/assign": _operate("user_task"),
    "tasks/<str:task_id>/bpmn-error": _complete(),
    "tasks/<str:task_id>/escalation": _complete(),
    "tasks/<str:task_id>/delegate": _complete(),
    "tasks/<str:task_id>/resolve": _complete(),
    "tasks/<str:task_id>/form": {"GET": needs(VIEW, COMPLETE)},
    "tasks/<str:task_id>/comments": {
        "GET": needs(VIEW, COMPLETE),
        "POST": needs(COMPLETE, of="user_task", own=True, note=_THEIRS),
    },
    "tasks/<str:task_id>/variables": {
        "GET": needs(VIEW, COMPLETE),
        "PUT": needs(COMPLETE, of="user_task", own=True, note=_THEIRS),
    },
    "tasks/<str:task_id>/variables/<str:name>": {
        "DELETE": needs(COMPLETE, of="user_task", own=True, note=_THEIRS),
    },
    "external-tasks/fetch-and-lock": {"POST": needs(WORK, note="on every topic asked for")},
    "external-tasks/complete": {"POST": needs(WORK, note="on the topic of every task")},
    "external-tasks/<str:task_id>": {"GET": needs(VIEW, WORK)},
    "external-tasks/<str:task_id>/complete": _work(),
    "external-tasks/<str:task_id>/fail": _work(),
    "external-tasks/<str:task_id>/bpmn-error": _work(),
    "external-tasks/<str:task_id>/extend-lock": _work(),
    "external-tasks/<str:task_id>/unlock": {
        "POST": needs(WORK, OPERATE, of="external_task", note="without worker_id: operate")
    },
    "external-tasks/<str:task_id>/retries": _operate("external_task"),
    "external-tasks/<str:task_id>/priority": _operate("external_task"),
    "dead-letters": _SEE,
    "dead-letters/<str:task_id>/retry": _operate("external_task"),
}
_WORK_OF_THE_ENGINE: Final[Mapping[str, Mapping[str, Rule]]] = {
    "jobs": _SEE,
    "jobs/<str:job_id>": {"PATCH": needs(OPERATE, of="job"), "DELETE": needs(OPERATE, of="job")},
    "jobs/<str:job_id>/retries": _operate("job"),
    "jobs/<str:job_id>/run": _operate("job"),
    "timers": _SEE,
    "timers/<str:timer_id>": {"PATCH": needs(OPERATE, of="timer"), "DELETE": needs(OPERATE, of="timer")},
    "timers/<str:timer_id>/fire": _operate("timer"),
    "incidents": _SEE,
    "incidents/retry": {"POST": needs(OPERATE, note=_NARROWED)},
    "incidents/<str:incident_id>": _SEE,
    "incidents/<str:incident_id>/resolve": _operate("incident"),
    "messages": {"POST": needs(START, starts=True, note=_NARROWED)},
    "signals": {"POST": needs(START, starts=True, note=_NARROWED)},
    "conditions": {"POST": needs(START, starts=True, note=_NARROWED)},
}
_RETENTION: Final[Mapping[str, Mapping[str, Rule]]] = {
    "retention-rules": {"GET": needs(ADMINISTER)},
    "retention-rules/<str:process_def_id>": {
        "GET": needs(ADMINISTER),
        "PUT": needs(ADMINISTER),
        "DELETE": needs(ADMINISTER),
    },
}
_ABOUT_THE_API: Final[Mapping[str, Mapping[str, Rule]]] = {
    "health": {"GET": PUBLIC},
    "openapi.json": {"GET": PUBLIC},
    "docs": {"GET": PUBLIC},
}

OTHERS: Final = "(?P<rest>.*)$"
"""Every other address, which answers 404 to everybody."""

REST_RULES: Final[Mapping[str, Mapping[str, Rule]]] = {
    **_INSTANCES,
    **_DEFINITIONS,
    **_TASKS,
    **_WORK_OF_THE_ENGINE,
    **_RETENTION,
    **_ABOUT_THE_API,
    OTHERS: dict.fromkeys(("GET", "POST", "PUT", "PATCH", "DELETE"), PUBLIC),
}


def rest_rule(route: str, method: str) -> Rule | None:
    """Return the rule of one method of an address; HEAD is GET. None where there is none."""
    return REST_RULES.get(route, {}).get("GET" if method == "HEAD" else method)
