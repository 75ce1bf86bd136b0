"""Operations of an operaton scenario that give messages and signals, continue receive tasks, and ask conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bpm.core import commands as c
from bpm.core.ids import Id
from bpm.core.rows import Subscription
from tests.corpus.operaton_names import Names
from tests.support.corpus_scores import Later
from tests.support.hosts import Receiver

Step = dict[str, Any]


def start_by_message(names: Names, step: Step) -> None:
    receivers = names.host.correlate(
        step["message"],
        start_only=True,
        business_key=step.get("business_key"),
        variables=names.variables(step),
    )
    _name(names, receivers, [step["as"]] if "as" in step else [])


def correlate(names: Names, step: Step) -> None:
    if "local_variables" in step:
        raise Later("a message with local variables")
    receivers = names.host.correlate(
        step["message"],
        business_key=step.get("business_key"),
        instance=names.instance(step["instance"]) if "instance" in step else None,
        definition=_version(names, step.get("definition")),
        correlation_keys=names.variables(step, "correlation"),
        local_correlation_keys=names.variables(step, "local_correlation"),
        variables=names.variables(step),
        all=bool(step.get("all")),
        start_only=bool(step.get("start_only")),
    )
    _name(names, receivers, step.get("started", []))


def _version(names: Names, named: Step | None) -> Id | None:
    return names.host.definition(named["key"], named["version"])[0] if named else None


def _name(names: Names, receivers: list[Receiver], called: list[str]) -> None:
    started = [receiver.instance for receiver in receivers if receiver.started]
    assert len(started) >= len(called), f"{len(started)} instances were started, not {called}"
    names.instances.update(zip(called, started, strict=False))


def message(names: Names, step: Step) -> None:
    instance, row = _aimed_at(names, step, "message", step["message"])
    names.host.execute(instance, c.TriggerMessage(subscription=row.id, variables=names.variables(step)))


def signal(names: Names, step: Step) -> None:
    if "activity" not in step and "instance" not in step:
        names.host.signal(step["name"], names.variables(step))
        return
    instance, row = _aimed_at(names, step, "signal", step["name"])
    command = c.TriggerSignal(subscriptions=(row.id,), variables=names.variables(step))
    names.host.execute(instance, command)


def _aimed_at(names: Names, step: Step, kind: str, name: str | None) -> tuple[Id, Subscription]:
    """Return the n-th subscription that a step is aimed at; IndexError where nothing waits like that."""
    found = [
        (instance, row)
        for instance, state in names.states()
        for row in state.subscriptions.values()
        if row.status == "OPEN"
        and row.kind == kind
        and name in (None, row.name)
        and step.get("activity", row.node) == row.node
        and ("instance" not in step or instance == names.instance(step["instance"]))
    ]
    return sorted(found, key=lambda one: (one[1].created_at, one[1].id))[step.get("nth", 0)]


def trigger(names: Names, step: Step) -> None:
    if "activity" in step:
        instance, token = names.token(step["activity"])
    else:
        instance = names.instance(step["instance"])
        state, graph = names.state(instance), names.host.graph(instance)
        live = [token for token in state.tokens.values() if not token.final]
        token = next((one for one in live if graph.nodes[one.node].tag == "receiveTask"), live[0])
    command = c.ContinueReceiveTask(token=token.id, variables=names.variables(step))
    names.host.execute(instance, command)


def evaluate_conditions(names: Names, step: Step) -> None:
    definition = step.get("definition")
    started = names.host.evaluate_conditions(
        names.variables(step),
        business_key=step.get("business_key"),
        definition=definition["key"] if definition else None,
    )
    assert len(started) == len(step["started"]), f"{len(started)} were started, not {step['started']}"
    names.instances.update(zip(step["started"], started, strict=True))


EVENTS: dict[str, Callable[[Names, Step], None]] = {
    operation.__name__: operation
    for operation in (start_by_message, correlate, message, signal, trigger, evaluate_conditions)
}
