"""What is deployed on the core host, and the starts that wait at it (semantics §6, §7, §12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from bpm.bpmn.compile import read_file
from bpm.core.errors import DefinitionInvalid, DefinitionNotFound, NotStartable, Problem
from bpm.core.failure import NodeFailed
from bpm.core.graph import Graph
from bpm.core.ids import Id
from bpm.core.starts import start_timers, start_waits
from bpm.core.triggers.timer import Following, all_caught_up, following
from tests.support.core_versions import Armed, Version
from tests.support.hosts import WaitingStart
from tests.support.model import Model
from tests.support.model_graph import build_graph


class Definitions:
    """All versions, and the starts that are armed, in order of creation."""

    def __init__(self) -> None:
        self.armed: list[Armed] = []
        self._versions: dict[str, list[Version]] = {}
        self._deployments = 0
        self._ids = 0

    def __iter__(self) -> Iterator[Version]:
        for versions in self._versions.values():
            yield from (version for version in versions if not version.deleted)

    def find(self, process: str, number: int | None = None) -> Version:
        """Return a version by id, or by key: a number of it, or the newest.

        Raises:
            DefinitionNotFound.
        """
        found = [version for version in self if process in (version.id, version.key)]
        if number is not None:
            found = [version for version in found if version.number == number]
        if not found:
            raise DefinitionNotFound(process=process, version=number)
        return found[-1]

    def deployment_of(self, definition: Id) -> int:
        """Return the deployment of a version, deleted or not."""
        key, _, number = definition.rpartition(":")
        return self._versions[key][int(number) - 1].deployment

    def find_startable(self, process: str, number: int | None = None) -> Version:
        """Return a version that can be started; raises NotStartable, or as `find`."""
        version = self.find(process, number)
        if version.suspended:
            raise NotStartable(process=process)
        return version

    # deploying

    def deploy(
        self, sources: Sequence[bytes | Model], script_formats: frozenset[str], now: datetime
    ) -> list[Version]:
        """Deploy files and models together and arm their starts instead of those of the versions before.

        Raises:
            DefinitionInvalid: nothing is deployed.
        """
        compiled = [found for source in sources for found in _compile(source, script_formats)]
        keys = [graph.key for graph, _ in compiled]
        for key in keys:
            if keys.count(key) > 1:
                raise DefinitionInvalid((Problem(key, 0, "duplicate-process", f"{key} stands twice."),))
        number = self._deployments + 1
        new = [
            Version(graph.key, len(self._versions.get(graph.key, ())) + 1, tag, number, graph)
            for graph, tag in compiled
        ]
        before = list(self.armed)
        for version in new:
            self._disarm(version.key)
        try:
            for version in new:
                self._arm(version, now)
        except DefinitionInvalid:
            self.armed = before
            raise
        for version in new:
            self._versions.setdefault(version.key, []).append(version)
        self._deployments = number
        return new

    def delete(self, versions: Sequence[Version], now: datetime) -> None:
        """Delete versions; the starts of a key's newest one go to the newest that is left."""
        newest = {version.key: self.find(version.key) for version in versions}
        for version in versions:
            version.deleted = True
        for key, last in newest.items():
            if last.deleted:
                self._disarm(key)
                left = [version for version in self if version.key == key]
                if left:
                    self._arm(left[-1], now)

    def _disarm(self, key: str) -> None:
        self.armed = [armed for armed in self.armed if armed.version.key != key]

    def _arm(self, version: Version, now: datetime) -> None:
        taken = {armed.name: armed.version.key for armed in self.armed if armed.kind == "message"}
        for wait in start_waits(version.graph):
            if wait.kind == "message" and wait.name in taken:
                message = f"The process {taken[wait.name]} starts by {wait.name!r} already."
                raise DefinitionInvalid((Problem(wait.node, 0, "start-message-taken", message),))
            self.armed.append(Armed(self._new_id(), version, wait.kind, wait.name, wait.node))
        try:
            timers = start_timers(version.graph, now, UTC)
        except NodeFailed as failure:
            raise DefinitionInvalid((Problem(version.key, 0, "timer-text", str(failure)),)) from None
        self.armed += [
            Armed(
                self._new_id(), version, "timer", "", timer.node,
                due_at=timer.due_at, cycle=timer.kind == "cycle", anchor=now,
                expression=timer.expression, priority=timer.priority,
            )
            for timer in timers
        ]  # fmt: skip

    def _new_id(self) -> Id:
        self._ids += 1
        return f"start-{self._ids:06d}"

    # starts

    def waiting(self, kind: str, name: str | None = None) -> list[Armed]:
        """Return the armed starts of a kind, and of a name, at versions that are not suspended."""
        return [
            armed
            for armed in self.armed
            if armed.kind == kind and name in (None, armed.name) and not armed.version.suspended
        ]

    def due(self, now: datetime) -> list[Armed]:
        """Return the timer starts that are due, by priority, then the longest due first."""
        found = [armed for armed in self.waiting("timer") if armed.due_at and armed.due_at <= now]
        return sorted(found, key=lambda armed: (-armed.priority, armed.due_at, armed.id))

    def use_up(self, timer: Armed, now: datetime) -> None:
        """Take a timer start away that fires; the next due time of a cycle is armed."""
        self.armed.remove(timer)
        if timer.due_at is None or timer.anchor is None or not timer.cycle:
            return
        due = Following(timer.due_at, timer.number)
        caught_up = all_caught_up(timer.version.graph.nodes[timer.node])
        after = following(timer.expression, due, timer.anchor, now, UTC, catch_up=caught_up)
        if after is not None:
            self.armed.append(
                Armed(
                    self._new_id(), timer.version, "timer", "", timer.node,
                    due_at=after.due_at, cycle=True, number=after.number, anchor=timer.anchor,
                    expression=timer.expression, priority=timer.priority,
                )
            )  # fmt: skip

    def told(self) -> list[WaitingStart]:
        """Return all armed starts as a scenario sees them."""
        return [
            WaitingStart(armed.kind, armed.name, armed.node, armed.version.key, armed.due_at, armed.priority)
            for armed in self.armed
        ]


def _compile(source: bytes | Model, script_formats: frozenset[str]) -> list[tuple[Graph, str]]:
    if isinstance(source, Model):
        return [(build_graph(source), "")]
    file = read_file(source, script_formats=script_formats)
    if file.problems:
        raise DefinitionInvalid(file.problems)
    return [(process.graph, process.version_tag) for process in file.processes if process.graph is not None]
