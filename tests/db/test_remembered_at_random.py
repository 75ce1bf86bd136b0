"""Random processes and commands do the same whether or not decisions are remembered.

Four instances of a random process get the same commands with different values: once with decisions that are remembered
from the first time on and never doubted, once with none. All that is told and stored is compared.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta
from itertools import count
from random import Random
from typing import Any, Final

import pytest
from django.conf import settings as django_settings
from django.db import connection, transaction
from django.test import override_settings
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from bpm import engine
from bpm.core.errors import Refused
from bpm.shell.clock import frozen
from bpm.shell.idempotency import Idempotency
from bpm.shell.remembering.memory import memory
from bpm.shell.tables import SPECS
from bpm.shell.topics import Topic
from bpm.shell.verifying import verify_instances
from tests.support.clock import Clock
from tests.support.kept import forget_all, kept_differences
from tests.support.random_trees import _Draft, random_tree
from tests.support.stored import read_state
from tests.support.tree_model import tree_xml

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]

EXAMPLES: Final = 30
INSTANCES: Final = 4
ROUNDS: Final = 9
NASTY = ["", "x", "@@0@@", "@@1@@", '"@@0@@"', "@@head@@", "%s", "%(x)s", "100%%", "null", "{}", "'"]
NASTY += ['"', "\\", '\\"', "\\u0000", "\x01\x1f\x7f", "\u2028\n", "ä😀", "9500-01-01T00:00:00.123456+00:00"]
NASTY += ["2026-01-01T00:00:00+00:00", "00000000-0000-7000-8000-000000000001"]
NAMES: Final = ["kim", "w%s", 'a"b\\c', "é😀", "\x02", "@@0@@", "{0}", "0199aaaa-0000-7000-8000-00000000abcd"]
TOPICS: Final = ("t1", "t%s")
WAYS: Final = ("single", "single", "single", "atomic", "rolled back", "key")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_TIME = re.compile(r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(\+00:00|\+00|Z)")
_EVENTS: Final = "SELECT sequence FROM bpm_historyevent WHERE instance_id = %s LIMIT 2000"
_APART = frozenset({"hash", "salt", "digest", "head"})


class _Plain(_Draft):
    """A process of which much can be remembered: there are few triggers and conditions."""

    def block(self, depth: int, then: str) -> str:
        self._blocks -= 1
        kinds = [self.activity] * 12 + [self.split] * 6 + [self.loop, super().split]
        return self.random.choice(kinds if self._blocks > 0 else kinds[:1])(depth, then)

    def split(self, depth: int, then: str) -> str:
        fork, join = self.random.choice(("par par", "par par", "par or", "par xor", "or or")).split()
        opening, closing = self.name(), self.name()
        ways = [self.way(depth, closing, 1) for _ in range(self.random.randint(2, 3))]
        self.write(depth, f"{fork} {opening} -> {', '.join(ways)}")
        self.write(depth, f"{join} {closing} -> {then}")
        return opening

    def activity(self, depth: int, then: str) -> str:
        kinds = ("user", "user", "external", "external", "task", "sub" if depth < 2 else "user")
        name, kind = self.name(), self.random.choice(kinds)
        undo = self.name() if self.random.random() < 0.2 else ""
        self.write(depth, f"{kind} {name} {undo and f'undo={undo}'} -> {then}")
        if kind == "sub":
            self.scope(depth + 1)
        if undo:
            self.write(depth, f"user {undo}")
        elif self.random.random() < 0.2:
            self.write(depth, f"boundary {self.name()} at={name} error=E -> {then}")
        return name


def _file(random: Random) -> bytes:
    """Return a random process with topics, priorities and a data object, which declares a name."""
    plain = _Plain(random)
    plain.scope(0)
    file = random_tree(random) if random.random() < 0.25 else tree_xml("\n".join(plain.lines))

    def refined(found: re.Match[str]) -> str:
        return f'{found[1]}"{random.choice(TOPICS)}" camunda:taskPriority="{random.randrange(3)}"'

    text = re.sub(r'(camunda:type="external" camunda:topic=)"[^"]*"', refined, file.decode())
    return text.replace("</process>", '<dataObject id="data"/></process>').encode()


class _Play:
    """Commands on four instances, and what was told; all choices are by chance, none by ids.

    Attributes:
        clock: None where time runs.
    """

    def __init__(self, seed: int, tenant: str, clock: Clock | None) -> None:
        self.random, self.tenant, self.clock = Random(seed), tenant, clock
        self.told: list[Any] = []
        self.instances: list[str] = []
        self.leased: list[dict[str, Any]] = []
        self.keys = 0

    def value(self) -> Any:
        nasty, number = self.random.choice(NASTY), self.random.randrange(4)
        long = "ü%" * (2_500 if self.random.random() < 0.1 else 1)
        nested: Any = [nasty, {nasty or "k": number, "b": None}]
        return self.random.choice((nasty, nasty, nested, number, 1.5, True, None, 10**30, long))

    def variables(self, *names: str) -> dict[str, Any]:
        """Return values for some of these names, which are the same for all instances."""
        return {name: self.random.randrange(3) if name == "x" else self.value() for name in names}

    def some(self, *names: str) -> list[str]:
        some = self.random.sample(names, self.random.randint(0, len(names)))
        return [*some, "@@0@@"] if self.random.random() < 0.03 else some

    def say(self, act: Callable[..., Any], *args: Any, way: str = "single", **kwargs: Any) -> Any:
        """Do something in one of the ways in which commands come; return the answer, None if it is refused."""
        if self.clock is None:
            time.sleep(0.002)
        if way == "key":
            self.keys += 1
            kwargs["key"] = Idempotency("me", f"{self.keys}", "same")
        answer = None
        with frozen(self.clock.tick()) if self.clock is not None else nullcontext():
            try:
                if way == "rolled back":
                    with transaction.atomic():
                        act(*args, tenant=self.tenant, **kwargs)
                        transaction.set_rollback(True)
                for _ in range(2 if way == "key" else 1):
                    with transaction.atomic() if way == "atomic" else nullcontext():
                        answer = act(*args, tenant=self.tenant, **kwargs)
                    self.told.append(answer)
            except Refused as refusal:
                self.told.append(refusal)
        return answer

    def start(self) -> None:
        names, actor = self.some("x", "y", "%s", "data", "ü"), self.random.choice(NAMES)
        keyed, size = self.random.random() < 0.6, self.random.choice((1, 1, 2))
        for _ in range(0, INSTANCES, size):
            keys = [self.random.choice(NASTY) if keyed else None for _ in range(size)]
            values = [self.variables(*names) | {"list": [1, self.value()]} for _ in keys]
            some = [
                engine.Start(process="p", tenant=self.tenant, actor=actor, business_key=key, variables=own)
                for key, own in zip(keys, values, strict=True)
            ]
            self.instances += [one["instance_id"] for one in self.say(_start, some)]
            # A process that wakes itself goes on until the engine stops it, and would take minutes.
            assume(all(len(_rows(_EVENTS, instance)) < 2_000 for instance in self.instances))

    def round(self) -> None:
        steps = [self.fetch, self.work, self.work, self.users] * 2 + [self.change, self.stand]
        self.random.choice(steps)()

    def fetch(self) -> None:
        """Lease tasks: one of an instance, or all those of two."""
        size, worker, way = self.random.choice((1, 1, 2)), self.random.choice(NAMES), self.random.choice(WAYS)
        lock_ms = self.random.choice((60_000, 60_000, 1)) if self.clock is not None else 60_000
        locks = {name: self.random.choice((None, None, 90_000)) for name in TOPICS}
        for at in range(0, INSTANCES, size):
            of = self.instances[at : at + size]
            topics = [Topic(name=name, lock_ms=own, instance_ids=of) for name, own in locks.items()]
            given_ = {"topics": topics, "max_tasks": 1 if size == 1 else 100, "lock_ms": lock_ms}
            self.leased += self.say(_fetch, of, worker, way=way, **given_) or []
        if self.clock is not None:
            self.clock.advance(timedelta(milliseconds=self.random.choice((0, 0, 0, 70_000))))

    def work(self) -> None:
        """Complete what was leased: one by one, or in lists, where one instance may come up several times."""
        names, lease = self.some("x", "y", "%d"), self.random.random() < 0.5
        items: list[dict[str, Any]] = []
        for one in self.leased:
            held = {"task_id": one["task_id"], "worker": one["worker_id"]}
            held |= {"lease": one["lease_id"]} if lease else {}
            items.append(held | {"variables": self.variables(*names)})
        actor, way, half = self.random.choice(NAMES), self.random.choice(WAYS), (len(items) + 1) // 2
        self.leased = []
        if self.random.random() < 0.3:
            for some in (items[:half], items[half:]):
                self.say(engine.complete_external_tasks, some, actor=actor, way=way)
            return
        for item in items:
            self.say(engine.complete_external_task, way=way, actor=actor, **item)

    def users(self) -> None:
        """Complete a user task in each instance."""
        names, actor = self.some("x", "y", "data", "%s"), self.random.choice(NAMES)
        at, way = self.random.randrange(3), self.random.choice(WAYS)
        query = "SELECT id FROM bpm_usertask WHERE instance_id = %s AND status = 'OPEN' ORDER BY id"
        for instance in self.instances:
            tasks = _rows(query, instance)
            if tasks:
                task, given_ = str(tasks[at % len(tasks)]["id"]), self.variables(*names)
                self.say(engine.complete_task, task, variables=given_, actor=actor, way=way)

    def change(self) -> None:
        """Do what is not remembered, for some more often than for others, so that histories differ in length."""
        for instance in self.instances:
            for _ in range(self.random.randint(1, 3)):
                self.say(engine.set_variables, instance, variables=self.variables("x", "late"))

    def stand(self) -> None:
        """Suspend all, try to go on, and activate them again."""
        for instance in self.instances:
            self.say(engine.suspend, instance)
        self.random.choice((self.users, self.work, self.fetch))()
        for instance in self.instances:
            self.say(engine.activate, instance)

    def stored(self) -> list[Any]:
        """Return all rows of all instances."""
        places = {spec.table: "instance_id = %s ORDER BY id" for spec in SPECS.values()}
        places["bpm_processinstance"] = "id = %s"
        places["bpm_historyevent"] = "instance_id = %s ORDER BY sequence"
        places["bpm_variable"] = "instance_id = %s ORDER BY scope, name"
        places["bpm_usertaskcandidate"] = "instance_id = %s ORDER BY task, kind, name"
        queries = [f"SELECT * FROM {table} WHERE {place}" for table, place in places.items()]
        return [_rows(query, instance) for instance in self.instances for query in queries]


def _start(starts: list[engine.Start], tenant: str) -> list[Any]:
    """Start several in a list; one alone by the way that takes no transaction."""
    if len(starts) > 1:
        return engine.start_many(starts)
    (one,) = starts
    given_: dict[str, Any] = {
        "variables": one.variables,
        "business_key": one.business_key,
        "actor": one.actor,
    }
    return [engine.start("p", tenant=tenant, **given_)]


def _fetch(order: list[str], worker: str, **given_: Any) -> list[dict[str, Any]]:
    """Lease tasks; ids that several instances have made within one millisecond stand in no order of their own."""
    answer = engine.fetch_and_lock(worker, **given_)
    return sorted(answer, key=lambda one: (order.index(one["instance_id"]), one["task_id"]))


def _rows(query: str, instance: str) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(query, [instance])
        names = [column.name for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return [{name: value for name, value in row.items() if name not in _APART} for row in rows]


def _played(seed: int, tenant: str, *, check: bool) -> list[str]:
    """Return all that is told and stored, with numbers for ids; where time runs, without times."""
    clock = Clock() if (random := Random(seed)).random() < 0.5 else None
    engine.deploy([("p.bpmn", _file(random))], tenant=tenant)
    forget_all()
    memory.clear()
    play = _Play(seed, tenant, clock)
    play.start()
    for _ in range(ROUNDS):
        play.round()
        for instance in play.instances if check else ():
            assert (state := read_state(instance)) is not None
            assert kept_differences(state) == []
    assert [one.findings for one in verify_instances(play.instances)] == [[]] * INSTANCES
    numbers: dict[str, str] = {}
    lines = []
    for one in (*play.told, *play.stored()):
        text = json.dumps(one, default=str, ensure_ascii=False, sort_keys=True).replace(tenant, "tenant")
        text = _ID.sub(lambda found: numbers.setdefault(found[0], f"<{len(numbers)}>"), text)
        lines.append(text if clock is not None else _TIME.sub("<time>", text))
    return lines


def test_what_is_remembered_is_what_would_be_decided() -> None:
    number = count()
    memory.used.clear()

    @settings(max_examples=EXAMPLES, phases=[Phase.explicit, Phase.generate], deadline=None)
    @given(st.integers(0, 2**32))
    def play(seed: int) -> None:
        tenant = f"tenant-{next(number)}"
        memory.doubted = 10**9
        remembered = _played(seed, f"{tenant}-on", check=True)
        with override_settings(BPM={**django_settings.BPM, "REMEMBERED_DECISIONS": 0}):
            decided = _played(seed, f"{tenant}-off", check=False)
        assert remembered == decided

    play()
    commands = ("StartInstance", "LockExternalTasks", "CompleteExternalTask", "CompleteUserTask")
    assert all(memory.used[command] for command in commands), memory.used
