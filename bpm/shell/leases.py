"""Fetch and lock: leasing external tasks to workers (semantics §5, §11)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from bpm.core import commands as c
from bpm.core.errors import Busy, InvariantViolated
from bpm.core.ids import Id
from bpm.core.lookup import Values, values_by_scope, visible_variables
from bpm.core.rows import ExternalStatus
from bpm.core.state import State
from bpm.shell.batch import Batch
from bpm.shell.broken import BrokenAmong, broken_among, freeze_broken
from bpm.shell.clock import frozen_now, or_frozen
from bpm.shell.flush import flush_batch
from bpm.shell.garbage import CollectionPaused
from bpm.shell.held import stands
from bpm.shell.host import require_immediate_transactions
from bpm.shell.idempotency import own_transaction
from bpm.shell.kept_sets import kept_sets
from bpm.shell.observing import describe_fetch, observed
from bpm.shell.outcome import Done
from bpm.shell.requests import Request
from bpm.shell.sql import Dialect, dialect
from bpm.shell.sql.document import Guard
from bpm.shell.sql.leasing import Candidates, pick_candidate
from bpm.shell.sql.narrowing import Asked
from bpm.shell.tables import EXTERNAL_TASKS
from bpm.shell.topics import Topic, Topics
from bpm.shell.violations import Lost, translated

_TOPIC = EXTERNAL_TASKS.columns.index("topic")

CAUTIOUS_S = 10.0
"""How long a process locks first after it has lost a race."""


@dataclass(slots=True)
class _Habits:
    """How this process goes about leasing single tasks.

    Attributes:
        races_again_at: until then it locks first; of the monotonic clock.
        knows: whether the instance of the task that it leased last was known to it.
    """

    races_again_at: float = 0.0
    knows: bool = False


habits = _Habits()


@observed(describe_fetch, batch=True)
def fetch_and_lock(
    worker: str, topics: Sequence[str | Topic], *, max_tasks: int, lock_ms: int, tenant: str, actor: str = ""
) -> list[dict[str, Any]]:
    """Lease tasks to a worker, highest priority first, then oldest.

    Tasks whose instance somebody else has locked are passed over; where that leaves nothing, the first one is waited
    for. A lease that has run out counts as none.

    Args:
        topics: names, or `Topic`s that say more; of several demands on one name all but the first are refused.
        lock_ms: length of the leases of topics that do not say their own.

    Returns:
        At most `max_tasks` tasks with the variables seen from each; empty if none wait.

    Statements: PostgreSQL 2 (1 when nothing waits), 3 where a single task's instance is not known but the one before
    was; two more when all candidates are busy.

    An instance that violates an invariant is frozen, and its tasks are passed over.

    Raises:
        Busy: the only candidates stayed locked longer than the lock's time-out.
        InvariantViolated: of an instance, inside an enclosing transaction, or where it could not be frozen.
        Invalid: one name with different demands.
        VariableInvalid: a variable that is asked for cannot be stored.
    """
    require_immediate_transactions()
    if not topics:
        return []
    asked = Topics(topics, lock_ms)
    if max_tasks == 1 and _may_race():
        try:
            with translated():
                return _fetch_one(worker, asked, tenant, actor)
        except (Lost, Busy, InvariantViolated, BrokenAmong):
            habits.races_again_at = time.monotonic() + CAUTIOUS_S
    violation: InvariantViolated | None = None
    for _ in range(3):
        try:
            with CollectionPaused(), translated(), transaction.atomic(savepoint=not own_transaction.get()):
                return _fetch(worker, asked, max_tasks, tenant, actor, guard=Guard.LOCKED)
        except BrokenAmong as broken:
            if own_transaction.get():
                raise Lost from broken
            violation = freeze_broken(broken)
        except Lost:
            if own_transaction.get():
                raise
    if violation is not None:
        raise violation
    return []


def _may_race() -> bool:
    """Return whether a single task may be leased without a transaction, by one guarded statement.

    That saves a third of the time, but several workers of one topic all go for the same task, and only one gets it. So
    after a lost race this process locks first, for a while.
    """
    alone = connection.vendor == "postgresql" and not connection.in_atomic_block
    return alone and time.monotonic() > habits.races_again_at


def _fetch_one(worker: str, topics: Topics, tenant: str, actor: str) -> list[dict[str, Any]]:
    """Lease a single task without a lock.

    As long as the instances of the tasks that are leased are known, it asks only which task is next: to read what is
    around takes twice as long.
    """
    if habits.knows:
        picked = pick_candidate(dialect(), tenant, topics.asked, frozen_now())
        if picked is None:
            return []
        known = kept_sets.take(EXTERNAL_TASKS.name, picked.task)
        if known is not None and stands(known, picked.revision, picked.head):
            lock_ms = topics.lock_ms(picked.topic)
            request = _request((picked.task,), worker, lock_ms, actor)
            batch = Batch([request], dialect())
            batch.adopt(known, or_frozen(picked.now))
            return _lease(batch, topics, Guard.FREE)
    return _fetch(worker, topics, 1, tenant, actor, guard=Guard.FREE)


def _fetch(
    worker: str, topics: Topics, max_tasks: int, tenant: str, actor: str, *, guard: Guard
) -> list[dict[str, Any]]:
    sql = dialect()
    found = _candidates(sql, tenant, topics.asked, max_tasks, locking=guard is Guard.LOCKED)
    if not found.tasks:
        return []
    batch = Batch(_requests(found, topics, worker, actor), sql)
    batch.take(found.now, found.rows)
    habits.knows = all(work.whole for work in batch.works.values())
    with broken_among(batch.requests):
        return _lease(batch, topics, guard)


def _lease(batch: Batch, topics: Topics, guard: Guard) -> list[dict[str, Any]]:
    """Decide and write; return the leases."""
    batch.decide()
    leased = []
    for work in batch.works.values():
        values = values_by_scope(work.state)
        leased += [
            _leased(work.state, task, topics, values)
            for index, _ in work.requests
            for task in _locked(batch, index)
        ]
    # At last: once it is written, the next command may have the working sets.
    flush_batch(batch, dialect(), guard=guard)
    return _ordered(leased)


def _request(tasks: tuple[Id, ...], worker: str, lock_ms: int, actor: str) -> Request:
    command = c.LockExternalTasks(
        tasks=tasks, worker=worker, lock_ms=lock_ms, actor=actor or f"worker:{worker}"
    )
    return Request(command)


def _requests(found: Candidates, topics: Topics, worker: str, actor: str) -> list[Request]:
    """Return a command for all tasks of an instance that are leased for the same time."""
    topic_of = {row[0]: row[_TOPIC] for row in found.rows[EXTERNAL_TASKS.name]}
    tasks: dict[tuple[Id, int], list[Id]] = {}
    for task, instance in found.tasks:
        tasks.setdefault((instance, topics.lock_ms(topic_of[task])), []).append(task)
    return [
        _request(tuple(of_instance), worker, lock_ms, actor) for (_, lock_ms), of_instance in tasks.items()
    ]


def _ordered(leased: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(leased, key=lambda task: (-task["priority"], task["task_id"]))


def _candidates(
    sql: Dialect, tenant: str, topics: Sequence[Asked], limit: int, *, locking: bool
) -> Candidates:
    now = frozen_now()
    found = sql.lease_candidates(tenant, topics, limit, now, locking=locking)
    for _ in range(2):
        if found.tasks or not found.seen:
            break
        sql.wait_for_candidate(tenant, topics, now)
        found = sql.lease_candidates(tenant, topics, limit, now, locking=locking)
    return found


def _locked(batch: Batch, index: int) -> list[Id]:
    outcome = batch.outcomes[index]
    return outcome.answer["locked"] if isinstance(outcome, Done) else []


def _leased(state: State, task: Id, topics: Topics, values: Values) -> dict[str, Any]:
    row = state.external_tasks[task]
    token = state.tokens[row.token]
    instance = state.instance
    assert row.lease_expires_at is not None, "the task was just leased"
    return {
        "task_id": row.id,
        "task_type": row.topic,
        "instance_id": instance.id,
        "token_id": row.token,
        "node_id": row.node,
        "process_def_id": instance.definition_key,
        "definition_id": instance.definition,
        "business_key": instance.business_key,
        "tenant": instance.tenant,
        "variables": topics.shown(row.topic, visible_variables(state, token.scope, values)),
        "retries": row.retries,
        "lease_id": row.lease,
        "lock_expires_at": row.lease_expires_at.isoformat(),
        "worker_id": row.worker,
        "priority": row.priority,
        "attempt": row.failures + row.expiries + 1,
    }


def leases_to_keep(leased: list[dict[str, Any]]) -> list[list[Any]] | None:
    """Return what an idempotency record keeps of an answer: task and lease; nothing where nothing was leased."""
    if not leased:
        return None
    return [[task["task_id"], task["lease_id"]] for task in leased]


def leases_again(topics: Sequence[str | Topic], kept: list[list[Any]]) -> list[dict[str, Any]]:
    """Return the leases of an earlier answer that still hold, as they stand now. Statements: 2."""
    asked = Topics(topics, 0)
    batch = Batch(
        [Request(c.LockExternalTasks(tasks=(task,), worker="", lock_ms=1)) for task, _ in kept], dialect()
    )
    batch.read()
    held = dict(map(tuple, kept))
    leased = [
        _leased(work.state, row.id, asked, values_by_scope(work.state))
        for work in batch.works.values()
        for row in work.state.external_tasks.values()
        if row.status is ExternalStatus.LOCKED and held.get(row.id) == row.lease
    ]
    return _ordered(leased)


def work_waits(topics: Sequence[str | Topic], *, tenant: str) -> bool:
    """Return whether a task could be fetched. Statements: 1, by index. Raises: as `fetch_and_lock`."""
    return dialect().work_waits(tenant, Topics(topics, 0).asked, frozen_now())
