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
from bpm.engine.answers import answer_once
from bpm.models import ExternalTask, UserTask
from bpm.shell.clock import frozen
from tests.support.clock import START
from tests.support.model import parse_model
from tests.support.model_xml import write_xml
from tests.support.statements import Executed, executed

PAGE = Path(__file__).parents[2] / "docs/reference/statements.md"
MOST = 6
LEASE_MS = 60_000
BATCHES = (1, 100)


@dataclass(frozen=True)
class Shape:
    """A fork of `width` branches, each with one waiting node; `path` pass-through nodes before and behind."""

    width: int
    path: int

    def deploy(self, kind: str) -> str:
        key = f"{kind}-{self.width}-{self.path}"
        option = {"external": f"topic={key}", "timer": "duration=PT10S"}.get(kind, "")
        names = [f"b{number}" for number in range(self.width)]
        lines = [f"start s -> {self._path('a', 'f')}", *self._nodes("a", "f"), f"par f -> {', '.join(names)}"]
        for name in names:
            behind = f"{name}p"
            # The condition makes the way on read a variable at every shape, as a join does from a width of two.
            lines += [
                f"{kind} {name} {option} -> {self._path(behind, name + 'x')}",
                *self._nodes(behind, name + "x"),
            ]
            lines.append(f"xor {name}x -> j [go], {name}e [else]")
            lines.append(f"end {name}e")
        engine.deploy(
            [(f"{key}.bpmn", write_xml(parse_model("\n".join([*lines, "par j -> e", "end e"]), key)))]
        )
        return key

    def _path(self, name: str, target: str) -> str:
        return f"{name}0" if self.path else target

    def _nodes(self, name: str, target: str) -> Iterator[str]:
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


def documented(operation: str, *, key: bool) -> int:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in PAGE.read_text().splitlines()]
    (row,) = [row for row in rows if row and row[0] == operation]
    return int(row[1 + key + 2 * (connection.vendor == "sqlite")])


def count(operation: Callable[[], Any]) -> Executed:
    with executed() as found:
        operation()
    assert found.all, "nothing was seen of the database"
    return found


def require_documented(name: str, runs: list[tuple[object, Executed]], *, key: bool) -> None:
    expected = documented(name, key=key)
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
def test_starting_takes_the_same_statements_at_every_shape(way: Callable[..., Any]) -> None:
    keys = {shape: shape.deploy("user") for shape in SHAPES}
    for key in keys.values():
        start(key)
    runs = [(shape, count(partial(way, partial(start, key)))) for shape, key in keys.items()]
    require_documented("start", list(runs), key=way is once)


@BOTH
def test_starting_a_list_takes_the_same_statements_at_every_length(way: Callable[..., Any]) -> None:
    key = Shape(1, 1).deploy("user")
    start(key)

    def begin(number: int) -> dict[str, int]:
        return {"started": len(start_list(key, number))}

    runs = [(number, count(partial(way, partial(begin, number)))) for number in BATCHES]
    require_documented("start a list", list(runs), key=way is once)


@BOTH
def test_completing_a_user_task_takes_the_same_statements_at_every_shape(way: Callable[..., Any]) -> None:
    runs: list[tuple[object, Executed]] = []
    for shape in SHAPES:
        tasks = open_tasks(UserTask, start(shape.deploy("user")))
        for task in tasks[2:-1]:
            engine.complete_task(task)
        chosen = dict.fromkeys((*tasks[:2], tasks[-1]))
        runs += [((shape, task), count(partial(way, partial(engine.complete_task, task)))) for task in chosen]
    require_documented("complete a user task", runs, key=way is once)


@BOTH
def test_fetching_takes_the_same_statements_at_every_shape_and_number(way: Callable[..., Any]) -> None:
    runs: list[tuple[object, Executed]] = []

    def get(key: str, number: int) -> dict[str, Any]:
        tasks = fetch(key, number)
        assert len(tasks) == number
        return {"tasks": len(tasks)}

    for shape in SHAPES:
        key = shape.deploy("external")
        start(key)
        runs.append((shape, count(partial(way, partial(get, key, 1)))))
    key = Shape(1, 1).deploy("external")
    start_list(key, sum(BATCHES))
    runs += [(number, count(partial(way, partial(get, key, number)))) for number in BATCHES]
    wide = Shape(1_000, 1).deploy("external")
    runs.append(("one instance", count(partial(way, partial(get, wide, 100)))))
    require_documented("fetch and lock", runs, key=way is once)


@BOTH
def test_completing_an_external_task_takes_the_same_statements_at_every_shape(
    way: Callable[..., Any],
) -> None:
    runs: list[tuple[object, Executed]] = []

    def complete(item: dict[str, Any]) -> Any:
        return engine.complete_external_task(item["task_id"], worker="w", lease=item["lease"])

    for shape in SHAPES:
        key = shape.deploy("external")
        start(key)
        first, *others = items(fetch(key, shape.width))
        runs.append((shape, count(partial(way, partial(complete, first)))))
        if others:
            engine.complete_external_tasks(others[:-1] or others)
            runs.append(((shape, "last"), count(partial(way, partial(complete, others[-1])))))
    require_documented("complete an external task", runs, key=way is once)


@BOTH
def test_completing_a_list_takes_the_same_statements_at_every_length(way: Callable[..., Any]) -> None:
    key = Shape(1, 1).deploy("external")
    wide = Shape(1_000, 1).deploy("external")
    start_list(key, sum(BATCHES))
    start(wide)

    def complete(tasks: list[dict[str, Any]]) -> dict[str, int]:
        outcomes = engine.complete_external_tasks(tasks)
        assert all(isinstance(outcome, dict) for outcome in outcomes)
        return {"completed": len(outcomes)}

    lists = [items(fetch(topic, number)) for topic in (key, wide) for number in BATCHES]
    runs = [(len(tasks), count(partial(way, partial(complete, tasks)))) for tasks in lists]
    require_documented("complete a list of external tasks", list(runs), key=way is once)


def test_firing_timers_takes_the_same_statements_at_every_shape_and_number() -> None:
    runs: list[tuple[object, Executed]] = []

    def fire(number: int) -> None:
        assert len(engine.fire_due_timers().done) == number

    at = START
    for shape in SHAPES:
        with frozen(at):
            start(shape.deploy("timer"))
        if shape.width <= 100:
            with frozen(at + timedelta(seconds=10)):
                runs.append((shape, count(partial(fire, shape.width))))
        at += timedelta(seconds=1)
    require_documented("fire due timers", runs, key=False)


def test_the_engine_has_no_stored_procedures() -> None:
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_proc WHERE pronamespace = 'public'::regnamespace")
        assert cursor.fetchone() == (0,)


def test_external_tasks_exist_before_they_are_counted() -> None:
    key = Shape(10, 1).deploy("external")
    assert len(open_tasks(ExternalTask, start(key))) == 10
