"""Files for tests about several instances, and what such tests ask of the tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

from bpm import engine
from bpm.core.values import from_text
from bpm.models import (
    HistoryEvent,
    Incident,
    MessageBuffer,
    Outbox,
    ProcessInstance,
    Subscription,
    Token,
    UserTask,
)
from bpm.models import Variable as VariableRow
from tests.support.checking import check_instance
from tests.support.stored import read_history, read_state
from tests.support.stored_collection import collect_all

_HEAD = (
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:own="urn:bpm-engine:1" '
    'xmlns:camunda="http://camunda.org/schema/1.0/bpmn" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" '
    'id="file" targetNamespace="urn:test">'
)


def file(text: str, **roots: str) -> bytes:
    """Return a file; `message_pay="pay"` and the like are root elements: kind, id and name (or code)."""
    found = "".join(_root(name, value) for name, value in roots.items())
    return f"{_HEAD}{found}{text}</definitions>".encode()


def _root(name: str, text: str) -> str:
    kind, _, number = name.partition("_")
    if kind in ("error", "escalation"):
        return f'<{kind} id="{number}" name="{text}" {kind}Code="{text}"/>'
    inside = ""
    if kind == "keyed":
        text, _, key = text.partition("|")
        kind = "message"
        inside = f'<extensionElements><zeebe:subscription correlationKey="{key}"/></extensionElements>'
    return f'<{kind} id="{number}" name="{text}">{inside}</{kind}>'


def process(key: str, *nodes: str, line: str = "", flows: str = "", attributes: str = "") -> str:
    """Return a process; `line` names nodes that follow one another, several lines apart by `;`."""
    found = "".join(_flow(a, b) for part in line.split(";") for a, b in pairwise(part.split()))
    return f'<process id="{key}" isExecutable="true" {attributes}>{"".join(nodes)}{found}{flows}</process>'


def _flow(source: str, target: str) -> str:
    return f'<sequenceFlow id="{source}_{target}" sourceRef="{source}" targetRef="{target}"/>'


def node(tag: str, name: str, inside: str = "", **attributes: str) -> str:
    """Return an element; `camunda__topic` stands for `camunda:topic`."""
    written = "".join(f' {key.replace("__", ":")}="{value}"' for key, value in attributes.items())
    return f'<{tag} id="{name}"{written}>{inside}</{tag}>'


START, END = node("startEvent", "s"), node("endEvent", "e")


def user(name: str, inside: str = "") -> str:
    """Return a user task."""
    return node("userTask", name, inside)


def call(name: str, called: str, inside: str = "", **attributes: str) -> str:
    """Return a call activity with what stands in its `extensionElements`."""
    extensions = f"<extensionElements>{inside}</extensionElements>" if inside else ""
    return node("callActivity", name, extensions, calledElement=called, **attributes)


def event(tag: str, name: str, kind: str, reference: str = "", inside: str = "", **attributes: str) -> str:
    """Return an event of a kind (`message`, `signal`, `error` …) that refers to a root element."""
    referred = f' {kind}Ref="{reference}"' if reference else ""
    return node(tag, name, f"<{kind}EventDefinition{referred}>{inside}</{kind}EventDefinition>", **attributes)


def timer(
    tag: str, name: str, text: str, what: str = "timeDuration", own: str = "", **attributes: str
) -> str:
    """Return a timer event."""
    return node(
        tag, name, f"<timerEventDefinition {own}><{what}>{text}</{what}></timerEventDefinition>", **attributes
    )


def deploy(*processes: str, tenant: str = "", **roots: str) -> list[dict[str, Any]]:
    """Deploy processes in one deployment, each in a file of its own; return what the answer says of each."""
    named = [(f"{number}.bpmn", file(text, **roots)) for number, text in enumerate(processes)]
    return list(engine.deploy(named, tenant=tenant)["definitions"])


def start(key: str, **fields: Any) -> str:
    """Start an instance."""
    return str(engine.start(key, **fields)["instance_id"])


def instances(key: str) -> list[str]:
    """Return the instances of a process, in order of creation."""
    # Ids tell milliseconds, and two commands may share one.
    rows = ProcessInstance.objects.filter(definition_key=key).order_by("started_at", "id")
    return [str(row) for row in rows.values_list("id", flat=True)]


def only(key: str) -> str:
    """Return the one instance of a process."""
    (instance,) = instances(key)
    return instance


def status(instance: str) -> str:
    """Return an instance's status."""
    return ProcessInstance.objects.get(id=instance).status


def at(instance: str) -> list[str]:
    """Return the nodes at which tokens stand, sorted."""
    rows = Token.objects.filter(instance__id=instance, final=False)
    return sorted(rows.values_list("node", flat=True))


def variables(instance: str) -> dict[str, Any]:
    """Return the process's own variables."""
    rows = VariableRow.objects.filter(instance__id=instance, scope=instance)
    return {row.name: from_text(row.value) for row in rows}


def complete(instance: str, name: str | None = None, /, **values: Any) -> None:
    """Complete the oldest open user task of an instance, or of one node in it."""
    completing(instance, name, **values)()


def completing(instance: str, name: str | None = None, /, **values: Any) -> Callable[[], object]:
    """Return the call that completes the task which is open now, whatever has ended it until the call is made."""
    rows = UserTask.objects.filter(instance__id=instance, status="OPEN").order_by("id")
    row = (rows.filter(node=name) if name else rows)[0]
    return partial(engine.complete_task, str(row.id), variables=values)


def incidents(instance: str) -> list[tuple[str, str]]:
    """Return node and kind of the open incidents."""
    rows = Incident.objects.filter(instance__id=instance, status="OPEN").order_by("id")
    return list(rows.values_list("node", "kind"))


def events(instance: str, kind: str) -> int:
    """Return how many events of a type an instance has."""
    return HistoryEvent.objects.filter(instance__id=instance, event_type=kind).count()


def waits(kind: str = "message", **which: Any) -> int:
    """Return how many subscriptions are open."""
    return Subscription.objects.filter(kind=kind, status="OPEN", **which).count()


def nothing_on_the_way() -> bool:
    """Return whether outbox and buffer are empty."""
    return not (Outbox.objects.exists() or MessageBuffer.objects.exists())


def check_all() -> None:
    """Check the invariants of all instances, and that folding their histories gives their rows."""
    collect_all()
    for instance in ProcessInstance.objects.values_list("id", flat=True):
        state = read_state(str(instance))
        assert state is not None
        check_instance(state, read_history(str(instance)))
