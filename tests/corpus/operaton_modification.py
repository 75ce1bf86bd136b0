"""Modifying an instance by the instructions of an operaton scenario."""

from __future__ import annotations

from typing import Any

from bpm.core import instructions as i
from bpm.core import operations as o
from bpm.core.ids import Id
from tests.corpus.operaton_names import Names

Step = dict[str, Any]


def modify(names: Names, step: Step) -> None:
    instance = names.instance(step["instance"])
    instructions = tuple(read_instruction(names, instance, one) for one in step["instructions"])
    names.host.execute(instance, o.ModifyInstance(instructions=instructions))


def read_instruction(names: Names, instance: Id | None, written: Step) -> i.Instruction:
    """Return one instruction; an IndexError where it names a token that is not there."""
    known = {"op", "activity", "nth", "variables", "local_variables", "ancestor"}
    if not written.keys() <= known:
        raise KeyError(sorted(written.keys() - known))
    activity = written["activity"]
    if written["op"] == "cancel_all":
        return i.CancelAll(node=activity)
    if written["op"] == "cancel_instance":
        found = [token for owner, token in names.tokens_at(activity) if owner == instance]
        return i.CancelToken(token=found[written.get("nth", 0)].id)
    started: dict[str, Any] = {
        "variables": names.variables(written),
        "local_variables": names.variables(written, "local_variables"),
        "ancestor": _ancestor(names, written),
    }
    if written["op"] == "start_before":
        return i.StartBefore(node=activity, **started)
    if written["op"] == "start_after":
        return i.StartAfter(node=activity, **started)
    if written["op"] == "start_transition":
        return i.StartAtFlow(flow=activity, **started)
    raise KeyError(written["op"])


def _ancestor(names: Names, written: Step) -> Id | None:
    """Return the scope of the process, or that of the n-th token's activity."""
    if "ancestor" not in written:
        return None
    named = written["ancestor"]
    if "instance" in named:
        return names.instance(named["instance"])
    instance, token = names.token(named)
    scopes = names.state(instance).scopes.values()
    return next(scope.id for scope in scopes if scope.outer_token == token.id and scope.status == "ACTIVE")
