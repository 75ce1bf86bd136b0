"""Suspending and deleting versions on the core host (semantics §12)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from bpm.core import commands as c
from bpm.core import operations as o
from bpm.core.errors import InstancesRunning, Refused
from bpm.core.ids import Id
from tests.support.core_parts import Parts
from tests.support.core_versions import Version


def set_suspended(host: Parts, version: Version, *, suspended: bool, instances: bool) -> None:
    """Suspend or activate a version, and with `instances` those that have not ended."""
    version.suspended = suspended
    if instances and suspended:
        _for_all(host, version, o.SuspendInstance(because=o.DEFINITION, actor="test"))
    elif instances:
        _for_all(host, version, o.ActivateInstance(by_caller=True, actor="test"))


def delete_versions(host: Parts, versions: Sequence[Version], *, cascade: bool) -> None:
    """Delete versions, all or none; with `cascade` their instances are cancelled first.

    Raises:
        InstancesRunning: of some version.
    """
    for version in versions if cascade else ():
        version.suspended = True
        _for_all(host, version, c.CancelInstance(reason="its definition was deleted", actor="test"))
    if any(_running(host, version) for version in versions):
        raise InstancesRunning
    host.definitions.delete(versions, host.clock.now)


def _for_all(host: Parts, version: Version, command: c.Command) -> None:
    """Carry a command out on all; one of which it is refused leaves the others untouched."""
    with host.together():
        for instance in _running(host, version):
            with suppress(Refused):
                host.carry_out(instance, command)


def _running(host: Parts, version: Version) -> list[Id]:
    rows = [host.state(instance).instance for instance in host.instances()]
    return [row.id for row in rows if row.definition == version.id and not row.ended]
