"""Finding due work and doing it in batches (semantics §11).

    read candidates without a lock → lock their instances, passing over busy ones → look again → decide → write

A batch is one transaction. What cannot be done in a batch is tried instance by instance; an instance that fails even
alone is set aside for a while, so that it cannot hold up the others.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from django.db import InterfaceError, OperationalError, ProgrammingError, connection, transaction

from bpm.core import commands as c
from bpm.core.errors import Busy, InvariantViolated
from bpm.core.ids import Id
from bpm.shell.batch import Batch
from bpm.shell.flush import flush_batch
from bpm.shell.freezing import freeze
from bpm.shell.garbage import CollectionPaused
from bpm.shell.host import require_immediate_transactions
from bpm.shell.observing import describe_many, observed
from bpm.shell.outcome import Outcome
from bpm.shell.requests import Request
from bpm.shell.sql import Dialect, dialect
from bpm.shell.sql.document import Guard
from bpm.shell.sql.queries import INSTANCES
from bpm.shell.violations import translated

Candidates = Sequence[tuple[Id, Id]]
"""Row and instance each."""

BATCH = 100
"""Candidates of one transaction: most of what a batch saves, and no lock is held longer than some 50 ms."""

LONGEST_WAY_S = 0.1
"""How long a loop at most gives way to other writers of SQLite after a batch."""

SET_ASIDE_S = (5.0, 30.0, 300.0)
"""How long an instance is left alone after its first, second and each later failure."""

FORGOTTEN_AFTER_S = 600.0
"""After that long without a failure an instance counts as sound again."""

_UNREACHABLE = ("08", "42", "53", "57P")
"""Classes of SQLSTATE: connection, a schema of another release, resources, shutdown."""

_log = logging.getLogger(__name__)


class Swept(NamedTuple):
    """Result of a sweep.

    Attributes:
        found: candidates; as many as the limit mean that there may be more.
        done: what really was due and has been done.
    """

    found: int
    done: list[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One kind of due work.

    Attributes:
        find: return at most that many candidates, the longest due first.
        commands: for rows of one instance.
        collect: return what a written batch has done; the last step of its transaction.
        look_again: return which rows are still due, where the command itself cannot tell; their instances are locked.
    """

    name: str
    find: Callable[[int], Candidates]
    commands: Callable[[tuple[Id, ...]], Sequence[c.Command]]
    collect: Callable[[Batch], list[Any]]
    look_again: Callable[[Sequence[Id]], set[Id]] | None = None


@dataclass(slots=True)
class _SetAside:
    """Instances that failed: how often, and until when (monotonic seconds) they are left alone."""

    failures: dict[Id, int] = field(default_factory=dict)
    until: dict[Id, float] = field(default_factory=dict)

    def add(self, instance: Id) -> float:
        failures = self.failures[instance] = self.failures.get(instance, 0) + 1
        span = SET_ASIDE_S[min(failures, len(SET_ASIDE_S)) - 1]
        self.until[instance] = time.monotonic() + span
        return span

    def now(self) -> frozenset[Id]:
        present = time.monotonic()
        if any(until < present - FORGOTTEN_AFTER_S for until in self.until.values()):
            self.until = {
                key: until for key, until in self.until.items() if until >= present - FORGOTTEN_AFTER_S
            }
            self.failures = {key: self.failures[key] for key in self.until}
        return frozenset(instance for instance, until in self.until.items() if until > present)


_aside = _SetAside()


def sweep(kind: Sweep, limit: int) -> Swept:
    """Do what is due of one kind, at most `limit` rows, in batches.

    Statements: 1 where nothing is due; each batch has 3 to 6, however many rows it has.

    Raises:
        OperationalError, InterfaceError, ProgrammingError: the database cannot be reached, or is another release's;
            batches before that are done.
    """
    require_immediate_transactions()
    aside = _aside.now()
    found = [row for row in kind.find(limit + len(aside)) if row[1] not in aside][:limit]
    done: list[Any] = []
    for start in range(0, len(found), BATCH):
        began = time.monotonic()
        done += _batch(kind, found[start : start + BATCH])
        _give_way(time.monotonic() - began)
    return Swept(len(found), done)


def _give_way(took_s: float) -> None:
    """Let others write on SQLite: it has one writer at a time and no queue, so who comes back at once always wins."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        time.sleep(min(took_s, LONGEST_WAY_S))


def _batch(kind: Sweep, rows: Candidates) -> list[Any]:
    instances = dict.fromkeys(instance for _, instance in rows)
    try:
        return _together(kind, rows)
    except Busy:
        return []
    except Exception as error:
        # Whatever one instance raises must not stop the loop for the others.
        if is_unreachable(error):
            raise
        if len(instances) > 1:
            alone = ([row for row in rows if row[1] == instance] for instance in instances)
            return [done for of_instance in alone for done in _batch(kind, of_instance)]
        (instance,) = instances
        if isinstance(error, InvariantViolated):
            freeze(instance, f"{kind.name}: {error.code}: {error}")
        span = _aside.add(instance)
        _log.error("%s: instance %s failed, set aside for %.0f s", kind.name, instance, span, exc_info=error)
        return []


def is_unreachable(error: Exception) -> bool:
    """Return whether this is about the database as a whole, so that trying instance by instance is useless."""
    if not isinstance(error, OperationalError | InterfaceError | ProgrammingError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(_UNREACHABLE)


def _together(kind: Sweep, rows: Candidates) -> list[Any]:
    sql = dialect()
    with CollectionPaused(), translated(), transaction.atomic():
        locked = set(sql.lock(INSTANCES, [instance for _, instance in rows], skip_locked=True))
        due = [row for row in rows if row[1] in locked]
        if due and kind.look_again is not None:
            still = kind.look_again([row for row, _ in due])
            due = [row for row in due if row[0] in still]
        if not due:
            return []
        requests = _requests(kind, due)
        batch = Batch(requests, sql)
        _carry_out(requests, batch, sql, locked)
        return kind.collect(batch)


@observed(describe_many, batch=True)
def _carry_out(requests: list[Request], batch: Batch, sql: Dialect, locked: set[Id]) -> list[Outcome]:
    batch.read(locked)
    batch.decide()
    flush_batch(batch, sql, guard=Guard.LOCKED)
    return [outcome or Busy() for outcome in batch.outcomes]


def _requests(kind: Sweep, due: Candidates) -> list[Request]:
    requests = []
    # Sorting is stable: within an instance the order stays that in which the rows became due.
    for _, rows in groupby(sorted(due, key=lambda row: row[1]), key=lambda row: row[1]):
        requests += [Request(command) for command in kind.commands(tuple(row for row, _ in rows))]
    return requests
