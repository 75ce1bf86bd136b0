"""Killing a story at its statements, one child process per point, and letting a new world finish it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from bpm import engine
from bpm.core.errors import EngineError
from bpm.models import ProcessInstance
from tests.support.checking import check_instance
from tests.support.crash_events import Left, left_by
from tests.support.crash_world import World, own_instances
from tests.support.forked import KILLED, run_forked
from tests.support.kill_gate import KillGate, KillPoint, kill_points
from tests.support.stored import read_history, read_state

Play = Callable[[World], None]


def usual_stride() -> int:
    """Return which fraction of the points is killed at; the variable BPM_CRASH_EVERY says otherwise, 1 is all."""
    return int(os.environ.get("BPM_CRASH_EVERY") or 12)


class Story(NamedTuple):
    """What happens: `make` a world for a run, `play` it from the beginning to its end."""

    name: str
    make: Callable[[str], World]
    play: Play


@dataclass
class Matrix:
    """What came of killing stories.

    Attributes:
        points: story to the number of points at which it was killed, and to how many it has.
        failures: what was not recovered, in words.
    """

    points: dict[str, tuple[int, int]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def run(self, story: Story) -> None:
        """Kill a deployed story at its points, and compare what a new world makes of it."""
        _settle_down()
        statements, undisturbed = _play_through(story)
        points = kill_points(statements)
        every = usual_stride()
        # Each story begins elsewhere, so that together they meet every kind of statement.
        chosen = points[len(self.points) % min(every, len(points)) :: every]
        self.points[story.name] = (len(chosen), len(points))
        for number, point in enumerate(chosen):
            self.failures += [
                f"{story.name}, killed {point}: {problem}"
                for problem in _problems(story, f"{story.name}-{number}", point, undisturbed)
            ]

    def summary(self) -> str:
        """Return one line."""
        killed = sum(chosen for chosen, _ in self.points.values())
        known = sum(every for _, every in self.points.values())
        return (
            f"{len(self.points)} stories have {known} kill points; killed at {killed}, "
            f"recovered {killed - len({one.split(': ')[0] for one in self.failures})}"
        )


class _Undisturbed(NamedTuple):
    left: Left
    effects: Counter[str]


def _play_through(story: Story) -> tuple[int, _Undisturbed]:
    """Play a story in a child that only counts, then once more here for what it leaves."""
    run = f"{story.name}-counted"

    def count() -> bytes:
        world, gate = story.make(run), KillGate()
        gate.install()
        story.play(world)
        return str(gate.count).encode()

    status, answer = run_forked(count)
    assert status == 0, f"{story.name} fails undisturbed: {answer.decode()}"
    counted = left_by(run)
    _settle_down()
    again = f"{story.name}-undisturbed"
    world = story.make(again)
    story.play(world)
    left = left_by(again)
    assert left.events, f"{story.name} leaves no history"
    assert left == counted, f"{story.name} goes differently each time: {_differences(counted, left)}"
    _settle_down()
    return int(answer), _Undisturbed(left, world.effects())


def _problems(story: Story, run: str, point: KillPoint, undisturbed: _Undisturbed) -> list[str]:
    def die() -> bytes:
        world = story.make(run)
        KillGate(point).install()
        story.play(world)
        return b""

    status, answer = run_forked(die)
    if status not in (KILLED, 0):
        return [f"the process ended with {status}: {answer.decode()}"]
    world = story.make(run)
    try:
        story.play(world)
    except EngineError as error:
        return [f"the next one was refused: {error}"]
    problems = _differences(left_by(run), undisturbed.left)
    lost = undisturbed.effects - world.effects()
    problems += [f"the work of {node} was lost {count} times" for node, count in lost.items()]
    for instance in map(str, own_instances()):
        state = read_state(instance)
        assert state is not None
        check_instance(state, read_history(instance))
    _settle_down()
    return problems


def _differences(found: Left, expected: Left) -> list[str]:
    problems = []
    for name, ours, theirs in zip(Left._fields, found, expected, strict=True):
        problems += [f"{name}: {count} too many of {what}" for what, count in (ours - theirs).items()]
        problems += [f"{name}: {count} missing of {what}" for what, count in (theirs - ours).items()]
    return problems


def _settle_down() -> None:
    """End the present run, and leave nothing behind that could still move."""
    alive = ProcessInstance.objects.filter(id__in=own_instances(), parent_instance__isnull=True)
    for instance in alive.exclude(status__in=("COMPLETED", "CANCELLED")).values_list("id", flat=True):
        engine.cancel(str(instance))
    World.others |= set(own_instances())
