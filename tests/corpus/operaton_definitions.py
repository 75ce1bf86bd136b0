"""Operations of an operaton scenario on versions of processes: starting, suspending, deleting them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.corpus.operaton_modification import read_instruction
from tests.corpus.operaton_names import Names

Step = dict[str, Any]


def start(names: Names, step: Step) -> None:
    """Start where the process begins, or where the instructions of `start_at` say."""
    instance = names.host.start(
        step["key"],
        names.variables(step),
        business_key=step.get("business_key"),
        version=step.get("version"),
        actor=names.user or "test",
        instructions=tuple(read_instruction(names, None, one) for one in step.get("instructions", ())),
    )
    if "as" in step:
        names.instances[step["as"]] = instance


def suspend_definition(names: Names, step: Step) -> None:
    _set_suspended(names, step, suspended=True)


def activate_definition(names: Names, step: Step) -> None:
    _set_suspended(names, step, suspended=False)


def _set_suspended(names: Names, step: Step, *, suspended: bool) -> None:
    names.host.set_definition_suspended(
        step["key"], step["version"], suspended=suspended, include_instances=step["include_instances"]
    )


def delete_definition(names: Names, step: Step) -> None:
    names.host.delete_definition(step["key"], step["version"], cascade=step["cascade"])


def delete_deployment(names: Names, step: Step) -> None:
    """Delete the deployment of the version that `of` names."""
    of = step["of"]
    names.host.delete_deployment(of["key"], of["version"], cascade=step.get("cascade", False))


DEFINITIONS: dict[str, Callable[[Names, Step], None]] = {
    "start": start,
    "start_at": start,
    "suspend_definition": suspend_definition,
    "activate_definition": activate_definition,
    "delete_definition": delete_definition,
    "delete_deployment": delete_deployment,
}
