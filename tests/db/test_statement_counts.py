"""The number of statements of an operation is a constant, and stands in docs/reference/statements.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from bpm import engine
from bpm.core.commands import CompleteUserTask
from bpm.engine.answers import answer_once
from bpm.models import UserTask
from bpm.shell.clock import frozen
from bpm.shell.execute import execute_many
from bpm.shell.outcome import Done
from bpm.shell.requests import Request
from tests.support.clock import START
from tests.support.kept import forget_all, know_the_time
from tests.support.model import parse_model
from tests.support.model_xml import write_xml
from tests.support.statements import Executed, executed

PAGE = Path(__file__).parents[2] / "docs/reference/statements.md"
MOST = 6
LEASE_MS = 60_000
BATCHES = (1, 100)


@dataclass(frozen=True)
class Shape:
    """A fork of `width` branches with a waiting node each, and a join; `path` pass-through nodes before and behind.

    Behind the join a condition reads a variable, so that the way on needs one at every shape.
    """

    width: int
    path: int

    def deploy(self, kind: str) -> str:
        """Deploy it under a key of its own, which is the topic of external tasks too; one timer of all is due soon."""
        key = f"{kind}-{self.width}-{self.path}"
        options = {"external": [f"topic={key}"], "timer": ["duration=PT10S", "duration=PT1H"]}.get(kind, [""])
        names = [f"b{number}" for number in range(self.width)]
        lines = ["start s -> before0", *self._row("before", "f"), f"par f -> {', '.join(names)}"]
        lines += [f"{kind} {name} {options[min(at, 1) % len(options)]} -> j" for at, name in enumerate(names)]
        lines += ["par j -> after0", *self._row("after", "x"), "xor x -> e [go], e [else]", "end e"]
        engine.deploy([(f"{key}.bpmn", write_xml(parse_model("\n".join(lines), key)))])
        return key

    def _row(self, name: str, target: str) -> Iterator[str]:
        for number in range(self.path):
            yield f"task {name}{number} -> {f'{name}{number + 1}' if number + 1 < self.path else target}"


SHAPES = (Shape(1, 1), Shape(10, 1), Shape(100, 1), Shape(1_000, 1), Shape(1, 100))


def start(key: str) -> str:
    return str(engine.start(key, variables={"go": True})["instance_id"])


def start_list(key: str, number: int) -> list[str]:
    answers = engine.start_many([engine.Start(process=key, variables={"go": True})] * number)
    return [answer["instance_id"] for answer in answers if isinstance(answer, dict)]


def open_tasks(model: Any, instance: str) -> list[str]:
    return [
        str(task)
        for task in model.objects.filter(instance=instance).order_by("id").values_list("id", flat=True)
    ]


def fetch(topic: str, number: int) -> list[dict[str, Any]]:
    return engine.fetch_and_lock("w", topics=[topic], max_tasks=number, lock_ms=LEASE_MS)


def items(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"task_id": task["task_id"], "worker": "w", "lease": task["lease_id"]} for task in tasks]


def complete_all(tasks: list[str]) -> None:
    outcomes = execute_many(
        [Request(CompleteUserTask(task=task, variables={"go": True}), "") for task in tasks]
    )
    assert all(isinstance(outcome, Done) for outcome in outcomes)


def documented(operation: str, *, key: bool, known: bool) -> int:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in PAGE.read_text().splitlines()]
    unknown, as_known = [row for row in rows if row and row[0] == operation]
    return int((as_known if known else unknown)[1 + key + 2 * (connection.vendor == "sqlite")])


@pytest.fixture(params=[False, True], ids=["unknown", "known"])
def known(request: pytest.FixtureRequest, timely: None) -> bool:
    """Whether the process knows what a command needs; it forgets nothing for as long as the test takes."""
    return bool(request.param)


def count(operation: Callable[[], Any], *, known: bool) -> Executed:
    know_the_time() if known else forget_all()
    with executed() as found:
        operation()
    assert found.all, "nothing was seen of the database"
    return found


def require_documented(name: str, runs: list[tuple[object, Executed]], *, key: bool, known: bool) -> None:
    expected = documented(name, key=key, known=known)
    for shape, found in runs:
        tables = found.written_tables if connection.vendor == "sqlite" else []
        assert len(tables) == len(set(tables)), f"{name} at {shape} writes a table twice: {tables}"
        assert len(found.statements) - len(tables) == expected, f"{name} at {shape}: {found.statements}"
        assert expected <= MOST


def once(produce: Callable[[], Any]) -> Any:
    return answer_once(engine.Idempotency("tester", str(uuid4()), "f" * 64), "", produce)


def plainly(produce: Callable[[], Any]) -> Any:
    return produce()


BOTH = pytest.mark.parametrize("way", [plainly, once])
pytestmark = pytest.mark.django_db(transaction=True)


@BOTH
def test_starting_takes_the_same_statements_at_every_shape(way: Callable[..., Any], known: bool) -> None:
    keys = {shape: shape.deploy("user") for shape in SHAPES}
    for key in keys.values():
        start(key)
    runs = [(shape, count(partial(way, partial(start, key)), known=known)) for shape, key in keys.items()]
    require_documented("start", list(runs), key=way is once, known=known)


@BOTH
def test_starting_a_list_takes_the_same_statements_at_every_length(
    way: Callable[..., Any], known: bool
) -> None:
    key = Shape(1, 1).deploy("user")
    start(key)

    def begin(number: int) -> dict[str, int]:
        return {"started": len(start_list(key, number))}

    runs = [(number, count(partial(way, partial(begin, number)), known=known)) for number in BATCHES]
    require_documented("start a list", list(runs), key=way is once, known=known)


@BOTH
def test_completing_a_user_task_takes_the_same_statements_at_every_shape(
    way: Callable[..., Any], known: bool
) -> None:
    runs: list[tuple[object, Executed]] = []
    for shape in SHAPES:
        tasks = open_tasks(UserTask, start(shape.deploy("user")))
        complete_all(tasks[2:-1])
        chosen = dict.fromkeys((*tasks[:2], tasks[-1]))
        runs += [
            ((shape, task), count(partial(way, partial(engine.complete_task, task)), known=known))
            for task in chosen
        ]
    require_documented("complete a user task", runs, key=way is once, known=known)


@BOTH
def test_fetching_takes_the_same_statements_at_every_shape_and_number(
    way: Callable[..., Any], known: bool
) -> None:
    runs: list[tuple[object, Executed]] = []

    def get(key: str, number: int) -> dict[str, Any]:
        tasks = fetch(key, number)
        assert len(tasks) == number
        return {"tasks": len(tasks)}

    for shape in SHAPES:
        key = shape.deploy("external")
        start(key)
        runs.append((shape, count(partial(way, partial(get, key, 1)), known=known)))
    key = Shape(1, 1).deploy("external")
    start_list(key, sum(BATCHES))
    runs += [(number, count(partial(way, partial(get, key, number)), known=known)) for number in BATCHES]
    wide = Shape(1_000, 1).deploy("external")
    runs.append(("one instance", count(partial(way, partial(get, wide, 100)), known=known)))
    require_documented("fetch and lock", runs, key=way is once, known=known)


@BOTH
def test_completing_an_external_task_takes_the_same_statements_at_every_shape(
    way: Callable[..., Any],
    known: bool,
) -> None:
    runs: list[tuple[object, Executed]] = []

    def complete(item: dict[str, Any]) -> Any:
        return engine.complete_external_task(item["task_id"], worker="w", lease=item["lease"])

    for shape in SHAPES:
        key = shape.deploy("external")
        start(key)
        first, *others = items(fetch(key, shape.width))
        runs.append((shape, count(partial(way, partial(complete, first)), known=known)))
        if others:
            engine.complete_external_tasks(others[:-1] or others)
            runs.append(((shape, "last"), count(partial(way, partial(complete, others[-1])), known=known)))
    require_documented("complete an external task", runs, key=way is once, known=known)


@BOTH
def test_completing_a_list_takes_the_same_statements_at_every_length(
    way: Callable[..., Any], known: bool
) -> None:
    key = Shape(1, 1).deploy("external")
    wide = Shape(1_000, 1).deploy("external")
    start_list(key, sum(BATCHES))
    start(wide)

    def complete(tasks: list[dict[str, Any]]) -> dict[str, int]:
        outcomes = engine.complete_external_tasks(tasks)
        assert all(isinstance(outcome, dict) for outcome in outcomes)
        return {"completed": len(outcomes)}

    lists = [items(fetch(topic, number)) for topic in (key, wide) for number in BATCHES]
    runs = [(len(tasks), count(partial(way, partial(complete, tasks)), known=known)) for tasks in lists]
    require_documented("complete a list of external tasks", list(runs), key=way is once, known=known)


def test_firing_timers_takes_the_same_statements_at_every_shape_and_number(known: bool) -> None:
    runs: list[tuple[object, Executed]] = []

    def fire(number: int) -> None:
        assert len(engine.fire_due_timers().done) == number

    at = START
    for shape in SHAPES:
        with frozen(at):
            start(shape.deploy("timer"))
        at += timedelta(seconds=10)
        with frozen(at):
            runs.append((shape, count(partial(fire, 1), known=known)))
    for number in BATCHES:
        with frozen(at):
            start_list("timer-1-1", number)
        at += timedelta(seconds=10)
        with frozen(at):
            runs.append((number, count(partial(fire, number), known=known)))
    require_documented("fire due timers", runs, key=False, known=known)


@pytest.mark.parametrize("key", [False, True])
@pytest.mark.parametrize(
    ("one", "many"),
    [("start", "start a list"), ("complete an external task", "complete a list of external tasks")],
)
def test_a_list_takes_as_many_statements_as_one_command(one: str, many: str, key: bool) -> None:
    assert documented(one, key=key, known=False) == documented(many, key=key, known=False)


@pytest.mark.postgresql
def test_the_engine_has_no_stored_procedures() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace "
            "AND prorettype <> 'trigger'::regtype"
        )
        assert cursor.fetchall() == []


@pytest.mark.postgresql
def test_no_trigger_works_when_the_engine_writes() -> None:
    """The history refuses to be changed by a trigger; the engine only ever adds to it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal "
            "AND (c.relname <> 'bpm_historyevent' OR t.tgtype & 4 <> 0)"
        )
        assert cursor.fetchall() == []
