"""The run: once over all tests to see what they touch, then one forked child for each change.

A pytest plugin. The child makes its change in memory, runs the tests that touch the function (the quick and specific
ones first) and tells by its exit code whether one failed. So start-up, collection and the database are paid for once.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pytest

from tests.mutation.faults import FAULTS, Fault
from tests.mutation.operators import Change, changed, changes
from tests.mutation.patching import ROOT, Function, functions, replace_by, replace_text

FOLDERS = {
    "core": ("bpm/core", ""),
    "shell": ("bpm/shell", "/remembering/"),
    "remembering": ("bpm/shell/remembering", ""),
}
"""Part to the folder that random changes are drawn from, and the one in it that another part has."""

KILLED, LIVING, NOT_MADE = 1, 0, 2
MOST_SECONDS = 60


class Mutant(NamedTuple):
    """One change of one function; its tests are those that touch the function."""

    function: Function
    change: Change

    @property
    def words(self) -> str:
        """Where it is and what it does."""
        return f"{self.function.path}:{self.change.line} {self.function.name}: {self.change.words}"


class Touched:
    """Which functions each test runs, and how long it takes."""

    def __init__(self) -> None:
        self.tests: dict[tuple[str, int], list[int]] = defaultdict(list)
        self.seconds: list[float] = []
        self.breadth: list[int] = []
        self.broken: list[str] = []
        self._seen: set[tuple[str, int]] = set()

    def record(self, session: pytest.Session) -> None:
        """Run all tests once; those that fail without any change are left out, and told."""
        for number, item in enumerate(session.items):
            self._seen = set()
            begin = time.monotonic()
            sys.settrace(self._note)
            try:
                _run(item, session)
            finally:
                sys.settrace(None)
            self.seconds.append(time.monotonic() - begin)
            self.breadth.append(len(self._seen))
            for place in self._seen:
                self.tests[place].append(number)
            if session.testsfailed:
                self.broken.append(item.nodeid)
                self.seconds[number], session.testsfailed = float("inf"), 0

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        # Only the beginning of each function is traced, as nothing is returned that would trace its lines.
        code = frame.f_code
        if "/bpm/" in code.co_filename:
            self._seen.add((code.co_filename, code.co_firstlineno))

    def of(self, function: Function) -> list[int]:
        """Return the tests of a function, the quick and specific ones first."""
        found = self.tests.get((str(ROOT / function.path), function.line), [])
        found = [number for number in found if self.seconds[number] < MOST_SECONDS]
        return sorted(found, key=lambda number: self.seconds[number] * (20 + self.breadth[number]))


def _run(item: pytest.Item, session: pytest.Session) -> None:
    # Some other item is always named as the next one, or the fixtures of the session would be torn down: the database
    # with them. What is left of the one before that this item does not share is torn down first.
    session._setupstate.teardown_exact(item)
    other = session.items[0] if item is not session.items[0] else session.items[-1]
    item.ihook.pytest_runtest_protocol(item=item, nextitem=other)


def draw(part: str, number: int, seed: int) -> list[Mutant]:
    """Return that many changes drawn at random from all that can be made in a part."""
    folder, without = FOLDERS[part]
    every = [
        Mutant(function, change)
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not without or without not in path.as_posix()
        for function, tree in functions(path)
        for change in changes(tree)
    ]
    return random.Random(seed).sample(every, number)


def _tree(function: Function) -> Any:
    return next(tree for found, tree in functions(ROOT / function.path) if found == function)


def in_child(session: pytest.Session, make: Any, tests: Sequence[int]) -> int:
    """Fork, make the change, run the tests; return whether one failed, none did, or the change cannot be made."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return os.WEXITSTATUS(status) if os.WIFEXITED(status) else KILLED
    os._exit(_in_child(session, make, tests))


def _in_child(session: pytest.Session, make: Any, tests: Sequence[int]) -> int:
    from django.db import connections

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    connections.close_all()
    try:
        if not make():
            return NOT_MADE
        until = time.monotonic() + MOST_SECONDS
        for number in tests:
            _run(session.items[number], session)
            if session.testsfailed:
                return KILLED
            if time.monotonic() > until:
                break
    except BaseException:  # noqa: BLE001 - whatever a change brings about is noticed
        return KILLED
    return LIVING


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addoption("--mutation-part", choices=FOLDERS, default="core")
    parser.addoption("--mutants", type=int, default=100, help="changes drawn at random")
    parser.addoption("--mutation-seed", type=int, default=1)
    parser.addoption("--no-faults", dest="mutation_faults", action="store_false", default=True)
    parser.addoption("--mutation-report", type=Path, default=None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the time-out of this run hold for all tests: a change that never ends is waited for often."""
    for item in items:
        for node in item.listchain():
            node.own_markers[:] = [mark for mark in node.own_markers if mark.name != "timeout"]


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Run the deliberate faults, then those drawn at random."""
    touched = Touched()
    touched.record(session)
    report: Path | None = session.config.getoption("--mutation-report")
    begun = [f"left out, fails without any change: {name}" for name in touched.broken]
    begun.append(f"{len(session.items)} tests, {sum(one for one in touched.seconds if one < 1e9):.0f} s")
    for line in chain(begun, _faults(session, touched), _mutants(session, touched)):
        print(line, flush=True)
        if report is not None:
            with report.open("a") as file:
                file.write(line + "\n")
    return True


def _matching(session: pytest.Session, touched: Touched, fault: Fault) -> list[int]:
    return [
        number
        for number, item in enumerate(session.items)
        if touched.seconds[number] < MOST_SECONDS and any(test in item.nodeid for test in fault.tests)
    ]


def _faults(session: pytest.Session, touched: Touched) -> Any:
    caught = 0
    faults = FAULTS[session.config.getoption("--mutation-part")]
    for fault in faults if session.config.getoption("mutation_faults") else ():
        tests = sorted(_matching(session, touched, fault), key=lambda number: touched.seconds[number])

        def make(fault: Fault = fault) -> bool:
            try:
                replace_text(fault.path, fault.old, fault.new)
            except LookupError:
                return False
            return True

        result = in_child(session, make, tests) if tests else LIVING
        caught += result == KILLED
        if result != KILLED:
            session.testsfailed += 1
            yield f"NOT {'CAUGHT' if result == LIVING else 'APPLICABLE'}: {fault.name} ({len(tests)} tests)"
    yield f"deliberate faults: {caught} of {len(faults)} caught"


def _mutants(session: pytest.Session, touched: Touched) -> Any:
    wanted: int = session.config.getoption("--mutants")
    killed = made = 0
    part: str = session.config.getoption("--mutation-part")
    for mutant in draw(part, wanted * 2, session.config.getoption("--mutation-seed")):
        if made == wanted:
            break

        def make(mutant: Mutant = mutant) -> bool:
            return replace_by(mutant.function, changed(_tree(mutant.function), mutant.change))

        begin, tests = time.monotonic(), touched.of(mutant.function)
        result = in_child(session, make, tests)
        if result == NOT_MADE:
            continue
        made += 1
        killed += result == KILLED
        if made % 25 == 0:
            yield f"so far {killed} of {made} killed"
        if result == LIVING:
            yield f"living: {mutant.words} ({len(tests)} tests, {time.monotonic() - begin:.0f} s)"
    yield f"random mutants: {killed} of {made} killed ({100 * killed / max(made, 1):.1f} %)"
    if killed < 0.9 * made:
        session.testsfailed += 1
