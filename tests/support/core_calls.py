"""What call activities call on the core host (semantics §4)."""

from __future__ import annotations

from bpm.core import between as b
from bpm.core.errors import DefinitionNotFound, Invalid
from bpm.core.ids import Id
from bpm.shell.configuration import setting
from bpm.shell.starts import Start
from tests.support.core_definitions import Definitions
from tests.support.core_parts import Parts
from tests.support.core_versions import Version


class CallerEnded(Invalid):
    """A caller further out has ended, so this call is not wanted any more."""


def start_of_call(host: Parts, called: Id | None, call: b.CallProcess) -> Start:
    """Return the start of a called instance.

    Raises:
        CallerEnded.
        DefinitionNotFound: what is called is not deployed.
        Invalid: the version is no number, or too many instances are called inside one another.
    """
    depth, ended = _callers(host, call.parent_instance)
    if ended:
        raise CallerEnded
    if depth >= setting("MAX_CALL_DEPTH"):
        raise Invalid(f"{call.process} would be the {depth + 1}th instance called inside another one.")
    return Start(
        process=_bound(host.definitions, call).id,
        business_key=call.business_key,
        variables=call.variables,
        actor="engine",
        instance=called,
        parent_instance=call.parent_instance,
        parent_token=call.parent_token,
        root=call.root,
    )


def _callers(host: Parts, instance: Id | None) -> tuple[int, bool]:
    """Return how deep an instance is called, and whether it or one around it has ended."""
    depth, ended = 0, False
    while instance is not None:
        row = host.state(instance).instance
        depth, ended, instance = depth + 1, ended or row.ended, row.parent_instance
    return depth, ended


def _bound(definitions: Definitions, call: b.CallProcess) -> Version:
    if call.binding == "latest":
        return definitions.find(call.process)
    if call.binding == "version":
        text = (call.version or "").strip()
        if not (text.isascii() and text.isdigit()):
            raise Invalid(f"The version {text!r} of {call.process} is no whole number.")
        return definitions.find(call.process, int(text))
    deployment = definitions.deployment_of(call.caller)
    found = [
        version
        for version in definitions
        if version.key == call.process
        and (
            version.tag == call.version if call.binding == "versionTag" else version.deployment == deployment
        )
    ]
    if not found:
        raise DefinitionNotFound(f"There is no process definition {call.process!r} bound by {call.binding}.")
    return found[-1]
