"""Finding what call activities call (semantics §4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from django.db.models import Q

from bpm.core import between as b
from bpm.core.errors import DefinitionNotFound, EngineError, Invalid
from bpm.core.ids import Id
from bpm.models import Definition
from bpm.shell.configuration import setting
from bpm.shell.outgoing import Row
from bpm.shell.sql.callers import callers_of
from bpm.shell.starts import Start


class CallerEnded(Invalid):
    """A caller further out has ended, so this call is not wanted any more."""


class _Binding(NamedTuple):
    """What is called by a tag or in the caller's deployment: tenant, key, tag, the caller's definition."""

    tenant: str
    key: str
    tag: str | None
    caller: Id | None


def starts_of_calls(rows: Sequence[Row]) -> dict[int, Start | EngineError]:
    """Return each call's start, or why it cannot start.

    Statements: 1, one more where a tag or a deployment is named; none without rows.
    """
    calls: list[tuple[int, Id | None, b.CallProcess]] = [
        (row.id, row.target, row.content) for row in rows if isinstance(row.content, b.CallProcess)
    ]
    if not calls:
        return {}
    callers = callers_of([call.parent_instance for _, _, call in calls])
    versions = _bound([call for _, _, call in calls])
    found: dict[int, Start | EngineError] = {}
    for number, called, call in calls:
        depth, ended = callers.get(call.parent_instance, (0, True))
        if ended:
            found[number] = CallerEnded()
        elif depth >= setting("MAX_CALL_DEPTH"):
            found[number] = Invalid(
                f"{call.process} would be the {depth + 1}th instance called inside another one."
            )
        else:
            found[number] = _start(called, call, versions)
    return found


def _start(called: Id | None, call: b.CallProcess, versions: dict[_Binding, Id]) -> Start | EngineError:
    process, version = call.process, None
    if call.binding == "version":
        text = (call.version or "").strip()
        if not text.isascii() or not text.isdigit():
            return Invalid(f"The version {text!r} of {process} is no whole number.")
        version = int(text[:10])
    elif call.binding != "latest":
        bound = versions.get(_binding(call))
        if bound is None:
            where = (
                f"with the tag {call.version!r}"
                if call.binding == "versionTag"
                else "in the caller's deployment"
            )
            return DefinitionNotFound(f"There is no process definition {process!r} {where}.", process=process)
        process = bound
    return Start(
        process=process,
        version=version,
        tenant=call.tenant,
        business_key=call.business_key,
        variables=call.variables,
        actor="engine",
        instance=called,
        parent_instance=call.parent_instance,
        parent_token=call.parent_token,
        root=call.root,
    )


def _binding(call: b.CallProcess) -> _Binding:
    if call.binding == "versionTag":
        return _Binding(call.tenant, call.process, call.version, None)
    return _Binding(call.tenant, call.process, None, call.caller)


def _bound(calls: Sequence[b.CallProcess]) -> dict[_Binding, Id]:
    """Return the newest version of each binding by tag or deployment."""
    wanted = {_binding(call) for call in calls if call.binding in ("versionTag", "deployment")}
    if not wanted:
        return {}
    found: dict[_Binding, Id] = {}
    for row in (
        Definition.objects.filter(reduce(or_, map(_condition, wanted)))
        .order_by("version")
        .values("id", "tenant", "key", "version_tag", "deployment__definitions")
    ):
        for one in wanted:
            if _fits(one, row):
                found[one] = str(row["id"])
    return found


def _condition(one: _Binding) -> Q:
    by_key = Q(tenant=one.tenant, key=one.key, deleted_at__isnull=True)
    if one.caller is None:
        return by_key & Q(version_tag=one.tag)
    return by_key & Q(deployment__definitions=one.caller)


def _fits(one: _Binding, row: Mapping[str, Any]) -> bool:
    if (one.tenant, one.key) != (row["tenant"], row["key"]):
        return False
    if one.caller is None:
        return bool(row["version_tag"] == one.tag)
    return str(row["deployment__definitions"]) == one.caller
