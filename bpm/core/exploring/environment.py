"""What can come to a process from outside, in one situation: work done or failed, errors, events, time, answers.

Time passes in any way that the model leaves open: of two timers the one fires first that is due first for sure, either
of them where that depends on when they were set. An event that does not interrupt is caught once each time it is armed,
or a process could be flooded with work by anyone who sends messages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from bpm.core import between as b
from bpm.core import commands as c
from bpm.core import operations as o
from bpm.core.elements.registry import ELEMENTS
from bpm.core.exploring.faulting import Faulting
from bpm.core.exploring.live import Live
from bpm.core.ids import Id
from bpm.core.rows import ExternalStatus, Job, JobStatus, Subscription, Timer, TimerStatus, UserStatus
from bpm.core.token import Token, TokenStatus, Wait
from bpm.core.triggers.conditional import Condition, condition_of

_LEASE_MS: Final = 60_000
_WORKER: Final = "worker"


class Environment(NamedTuple):
    """What may happen.

    Attributes:
        failures: whether work can fail for good, and be tried again by an operator.
        leases: whether fetching is a step of its own, and leases and handlers can be lost.
    """

    failures: bool = True
    leases: bool = True


EVERYTHING: Final = Environment()
PLAIN: Final = Environment(failures=False, leases=False)
"""Work is done, nothing breaks: enough to see what a model's structure does."""


class Move(NamedTuple):
    """One thing that can happen.

    Attributes:
        words: what happens, with the node.
        about: the token, or the scope, that it concerns: where two of them cannot be told apart, one move is enough.
        commands: what the engine is asked, one after the other.
        demanded: the node whose condition becomes true.
        spends: rows that have been caught as often as they may.
        later: how far time goes on before.
        repairs: whether an operator does it.
    """

    words: str
    about: Id
    commands: tuple[c.Command, ...]
    demanded: str | None = None
    spends: tuple[Id, ...] = ()
    later: timedelta = timedelta()
    repairs: bool = False


def moves_of(live: Live, environment: Environment, spent: Collection[Id]) -> Iterator[Move]:
    """Yield everything that can happen next."""
    faulting = Faulting(live)
    yield from _user_tasks(live, faulting, spent)
    yield from _external_tasks(live, environment, faulting)
    for job in live.state.jobs.values():
        yield from _job(live, job, environment, faulting)
    yield from _subscriptions(live, spent)
    yield from _timers(live)
    for token in live.tokens:
        yield from _token(live, token, environment, faulting, spent)


def _user_tasks(live: Live, faulting: Faulting, spent: Collection[Id]) -> Iterator[Move]:
    for task in live.state.user_tasks.values():
        if task.status is not UserStatus.OPEN:
            continue
        yield Move(f"the user task {task.node} is completed", task.token, (c.CompleteUserTask(task=task.id),))
        scope = live.state.tokens[task.token].scope
        for code in faulting.errors(scope):
            thrown = o.ThrowUserTaskError(task=task.id, error_code=code)
            yield Move(f"the user task {task.node} ends by the error {code!r}", task.token, (thrown,))
        for code, _ in faulting.escalations(scope) if task.id not in spent else ():
            raised = o.ThrowUserTaskEscalation(task=task.id, escalation_code=code)
            words = f"the escalation {code!r} is thrown at the user task {task.node}"
            yield Move(words, task.token, (raised,), spends=(task.id,))


def _external_tasks(live: Live, environment: Environment, faulting: Faulting) -> Iterator[Move]:
    for task in live.state.external_tasks.values():
        if task.status not in (ExternalStatus.READY, ExternalStatus.LOCKED):
            continue
        lock = c.LockExternalTasks(tasks=(task.id,), worker=_WORKER, lock_ms=_LEASE_MS)
        if task.status is ExternalStatus.READY and environment.leases:
            yield Move(f"a worker fetches {task.node}", task.token, (lock,))
            continue
        before = () if task.status is ExternalStatus.LOCKED else (lock,)
        done = c.CompleteExternalTask(task=task.id, worker=_WORKER)
        yield Move(f"a worker completes {task.node}", task.token, (*before, done))
        for code in faulting.errors(live.state.tokens[task.token].scope):
            thrown = c.ThrowExternalTaskError(task=task.id, worker=_WORKER, error_code=code)
            yield Move(f"a worker ends {task.node} by the error {code!r}", task.token, (*before, thrown))
        if environment.failures:
            failed = c.FailExternalTask(task=task.id, worker=_WORKER, retries=0)
            yield Move(f"{task.node} fails and has no retries left", task.token, (*before, failed))
        if task.status is ExternalStatus.LOCKED:
            expired = c.ExpireLeases(tasks=(task.id,))
            later = timedelta(milliseconds=_LEASE_MS)
            yield Move(f"the lease of {task.node} expires", task.token, (expired,), later=later)


def _job(live: Live, job: Job, environment: Environment, faulting: Faulting) -> Iterator[Move]:
    start = c.StartJob(job=job.id)
    if job.status is JobStatus.READY and job.kind != "handler":
        paused = job.kind == "before" and job.node in live.process.paused
        words = f"a token goes on at {job.node}" if paused else f"the job {job.kind} {job.node} is done"
        yield Move(words, job.token, (start,))
        return
    if job.status is JobStatus.READY and environment.leases:
        yield Move(f"the handler of {job.node} begins", job.token, (start,))
        return
    if job.status not in (JobStatus.READY, JobStatus.RUNNING):
        return
    before, attempt = ((start,), job.attempts + 1) if job.status is JobStatus.READY else ((), job.attempts)
    done = c.CompleteJob(job=job.id, attempt=attempt)
    yield Move(f"the handler of {job.node} is done", job.token, (*before, done))
    for code in faulting.errors(live.state.tokens[job.token].scope):
        thrown = c.ThrowJobError(job=job.id, attempt=attempt, error_code=code)
        yield Move(f"the handler of {job.node} ends by the error {code!r}", job.token, (*before, thrown))
    if environment.failures:
        failed = c.FailJob(job=job.id, attempt=attempt, error="failed", retries=0)
        yield Move(f"{job.node} fails and has no retries left", job.token, (*before, failed))
    if job.status is JobStatus.RUNNING and job.crashes == 0:
        yield Move(f"the handler of {job.node} is lost", job.token, (c.ExpireJobs(jobs=(job.id,)),))


def _subscriptions(live: Live, spent: Collection[Id]) -> Iterator[Move]:
    signals: dict[str, list[Subscription]] = {}
    for row in live.state.subscriptions.values():
        if row.status != "OPEN" or row.id in spent:
            continue
        spends: tuple[Id, ...] = () if _interrupts(live, row) else (row.id,)
        about = row.token or row.scope
        if row.kind == "message":
            trigger = c.TriggerMessage(subscription=row.id)
            yield Move(f"the message of {row.node} comes", about, (trigger,), spends=spends)
        elif row.kind == "signal":
            signals.setdefault(row.name, []).append(row)
        elif row.kind == "condition":
            condition = condition_of(live.process.graph.nodes[row.node], int(row.name))
            words = f"the condition of {row.node} becomes true"
            yield Move(words, about, _change(condition, row.scope), demanded=row.node, spends=spends)
    for name, rows in signals.items():
        spends = tuple(row.id for row in rows if not _interrupts(live, row))
        command = c.TriggerSignal(subscriptions=tuple(row.id for row in rows))
        yield Move(f"the signal {name!r} comes", rows[0].token or rows[0].scope, (command,), spends=spends)


def _change(condition: Condition, scope: Id) -> tuple[c.Command, ...]:
    """Return commands the last of which changes a variable in the way that the condition looks at."""
    name = condition.variable or "unknown"
    setting = c.SetVariables(scope=scope, variables={name: None}, local=True)
    if not condition.events or "create" in condition.events:
        return (setting,)
    if "update" in condition.events:
        return (setting, setting)
    return (setting, o.RemoveVariables(scope=scope, names=(name,)))


def _interrupts(live: Live, row: Subscription) -> bool:
    node = live.process.graph.nodes[row.node]
    return row.token is not None or ELEMENTS[node.tag].interrupts(node)


def _timers(live: Live) -> Iterator[Move]:
    waiting = [row for row in live.state.timers.values() if row.status is TimerStatus.SCHEDULED]
    able = [row for row in waiting if row.token is not None or row.number == 0]
    for timer in able:
        if not any(_is_before(other, timer) for other in able if other is not timer):
            fire = c.FireTimers(timers=(timer.id,), force=True)
            yield Move(f"the timer of {timer.node} fires", timer.token or timer.scope, (fire,))


def _is_before(one: Timer, other: Timer) -> bool:
    """Return whether a timer is due before another one whatever time passed between their settings."""
    if "date" in (one.kind, other.kind):
        return one.kind == other.kind and one.due_at < other.due_at
    if one.created_at == other.created_at:
        return one.due_at < other.due_at
    return one.created_at < other.created_at and _span(one) <= _span(other)


def _span(timer: Timer) -> timedelta:
    return timer.due_at - timer.created_at


def _token(
    live: Live, token: Token, environment: Environment, faulting: Faulting, spent: Collection[Id]
) -> Iterator[Move]:
    if token.status is TokenStatus.FAILED:
        if environment.failures:
            retry = c.RetryToken(token=token.id)
            yield Move(f"{token.node} is tried again", token.id, (retry,), repairs=True)
    elif token.status is TokenStatus.WAITING and token.wait is Wait.CALL and token.called is not None:
        yield from _call(token, token.called, environment, faulting, spent)
    elif _receives_by_name(live, token):
        going = c.ContinueReceiveTask(token=token.id)
        yield Move(f"{token.node} receives something", token.id, (going,))


def _call(
    token: Token, called: Id, environment: Environment, faulting: Faulting, spent: Collection[Id]
) -> Iterator[Move]:
    words, done = f"the process called by {token.node}", b.CompleteCall(token=token.id, called=called)
    yield Move(f"{words} completes", token.id, (done,))
    if environment.failures:
        failed = b.FailCall(token=token.id, called=called, kind="CallCancelled", message="cancelled")
        yield Move(f"{words} is cancelled", token.id, (failed,))
    for fault, code, interrupting in faulting.of_calls(token.scope):
        said = f"{words} throws the {fault} {code!r}"
        if interrupting:
            ended = b.FinishFault(token=token.id, called=called, fault=fault, code=code, message="")
            yield Move(said, token.id, (ended,))
        elif calling(token) not in spent:
            path = ((called, token.id),)
            offer = b.OfferFault(token=token.id, called=called, fault=fault, code=code, message="", path=path)
            yield Move(said, token.id, (offer,), spends=(calling(token),))


def calling(token: Token) -> Id:
    """Return the name under which the call of a token is spent: also that of a retry."""
    return f"{token.id} {token.node}"


def _receives_by_name(live: Live, token: Token) -> bool:
    """Return whether the token waits at a receive task without a message of its own."""
    if token.status is not TokenStatus.WAITING or token.wait is not Wait.MESSAGE:
        return False
    rows = live.state.subscriptions.values()
    waits = any(row.token == token.id and row.status == "OPEN" for row in rows)
    return not waits and live.process.graph.nodes[token.node].tag == "receiveTask"


def later(now: datetime, move: Move) -> datetime:
    """Return the instant of a move after the one at which the state was last changed."""
    return now + timedelta(milliseconds=1) + move.later
