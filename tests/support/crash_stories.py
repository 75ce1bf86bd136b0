"""Stories to be killed: the shipped definitions, and three accidents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bpm import engine
from bpm.models import Incident, Variable
from tests.support.crash_matrix import Story
from tests.support.crash_world import World
from tests.support.loop_models import external, process

EXAMPLES = Path(__file__).parents[2] / "bpm" / "examples"
_HEAD = (
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" id="file" targetNamespace="urn:test">'
)
_ONE_BRANCH_FAILS = (
    _HEAD
    + """<process id="branch-fails" isExecutable="true">
  <startEvent id="start"/><parallelGateway id="fork"/><userTask id="check"/><exclusiveGateway id="decide"/>
  <parallelGateway id="join"/><endEvent id="end"/>
  <sequenceFlow id="a" sourceRef="start" targetRef="fork"/>
  <sequenceFlow id="b" sourceRef="fork" targetRef="check"/>
  <sequenceFlow id="c" sourceRef="fork" targetRef="decide"/>
  <sequenceFlow id="d" sourceRef="check" targetRef="join"/>
  <sequenceFlow id="e" sourceRef="decide" targetRef="join">
    <conditionExpression xsi:type="tFormalExpression">${score &gt; 50}</conditionExpression></sequenceFlow>
  <sequenceFlow id="f" sourceRef="join" targetRef="end"/>
</process></definitions>"""
)
FILES = (
    *(path.read_bytes() for path in sorted(EXAMPLES.glob("*.bpmn"))),
    process("pays-in-the-end", external("bank")),
    process("reclaimed", external("slow")),
    _ONE_BRANCH_FAILS.encode(),
)


def stories(folder: Path) -> list[Story]:
    """Return them; worlds keep their ledgers in the folder."""
    return [
        _simple("minimal", folder, "minimal"),
        _simple("payment-flow", folder, "payment-flow"),
        _simple("order-process", folder, "order-process"),
        Story("the bank is down at first", _bank(folder), _started("pays-in-the-end")),
        Story("one branch of a fork fails", _branch(folder), _started("branch-fails")),
        Story("a worker dies with its lease", _reclaimed(folder), _started("reclaimed")),
    ]


def _started(process_id: str) -> Callable[[World], None]:
    def play(world: World) -> None:
        world.start(process_id, {"amount": 12})
        world.settle()

    return play


def _simple(name: str, folder: Path, process_id: str) -> Story:
    def make(run: str) -> World:
        world = World(run, folder / f"{run}.ledger")
        world.results["payment"] = lambda attempt: {"paid": True}
        world.answers["approve"] = {"approved": True}
        return world

    return Story(name, make, _started(process_id))


def _bank(folder: Path) -> Callable[[str], World]:
    def make(run: str) -> World:
        world = World(run, folder / f"{run}.ledger")
        world.results["bank"] = lambda attempt: {"paid": True} if _failures(run) >= 2 else None
        return world

    return make


def _failures(run: str) -> int:
    from bpm.models import ExternalTask

    found = ExternalTask.objects.filter(instance__business_key=run).values_list("failures", flat=True)
    return sum(found)


def _branch(folder: Path) -> Callable[[str], World]:
    def repair(incident: Incident) -> None:
        if not Variable.objects.filter(instance_id=incident.instance_id, name="score").exists():
            engine.set_variables(str(incident.instance_id), variables={"score": 70})
        engine.resolve_incident(str(incident.id))

    def make(run: str) -> World:
        world = World(run, folder / f"{run}.ledger")
        world.answers["check"] = {"checked": True}
        world.repairs = repair
        return world

    return make


def _reclaimed(folder: Path) -> Callable[[str], World]:
    def make(run: str) -> World:
        return _DyingWorker(run, folder / f"{run}.ledger")

    return make


class _DyingWorker(World):
    """Its first worker takes the task and is never seen again."""

    def __init__(self, run: str, ledger: Path) -> None:
        super().__init__(run, ledger)
        self.results["slow"] = lambda attempt: {"done": True}

    def settle(self, *, wait: bool = True) -> None:
        with self._now():
            engine.fetch_and_lock("doomed", topics=["slow"], max_tasks=1, lock_ms=1_000)
        super().settle(wait=wait)
