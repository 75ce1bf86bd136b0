"""What the engine says when it does not do what was asked.

    EngineError
    ├── Refused                      the command changes nothing; the caller can do something about it
    │   ├── NotFound                 the thing named is not there (or not there for this tenant)
    │   ├── Invalid                  the request itself is wrong
    │   │   └── DefinitionInvalid    a file breaks rules; carries every problem found
    │   └── Conflict                 the request is right, but not in this state
    │       ├── LeaseConflict        not the holder of the current lease
    │       ├── InstanceEnded, TaskClosed, Suspended, TooLarge, Busy, …
    └── InvariantViolated            a bug: rolled back, 500, the instance is frozen
        ├── TokenInvalidTransition
        └── TokenFinalizedTwice, JoinFiredTwice, …

The docstring's first line is the default message. `code` is stable and part of the API; `invariant` is the name
sent as `X-Invariant-Violation` (semantics §10). Attributes are typed and travel to the problem body.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple


class EngineError(Exception):
    """The engine could not do this."""

    code: ClassVar[str] = "EngineError"
    invariant: ClassVar[str | None] = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "code" not in cls.__dict__:
            cls.code = cls.__name__

    def __init__(self, message: str | None = None, /, **details: object) -> None:
        self.message = message or (type(self).__doc__ or "").strip().splitlines()[0]
        self.details = details
        super().__init__(self.message)

    def __str__(self) -> str:
        extra = ", ".join(f"{name}={value!r}" for name, value in self.details.items())
        return f"{self.message} ({extra})" if extra else self.message


class Refused(EngineError):
    """The command was refused; nothing changed."""


class NotFound(Refused):
    """There is no such thing."""


class InstanceNotFound(NotFound):
    """There is no such process instance."""


class DefinitionNotFound(NotFound):
    """There is no such process definition."""


class DeploymentNotFound(NotFound):
    """There is no such deployment."""


class TaskNotFound(NotFound):
    """There is no such task."""


class TokenNotFound(NotFound):
    """There is no such token."""


class IncidentNotFound(NotFound):
    """There is no such incident."""


class JobNotFound(NotFound):
    """There is no such job."""


class TimerNotFound(NotFound):
    """There is no such timer."""


class SubscriptionNotFound(NotFound):
    """Nothing waits there for that."""


class ReplayNotFound(NotFound):
    """There is no such replay session."""


class MessageUnmatched(NotFound):
    """Nothing waits for this message."""


class Invalid(Refused):
    """The request is not valid."""


class VariableInvalid(Invalid):
    """A variable's name or value cannot be stored.

    Attributes:
        within: names and numbers that lead to the object of variables in what was asked; `variables` unless said.
    """

    within: tuple[str | int, ...] = ()


@contextmanager
def variables_at(*steps: str | int) -> Iterator[None]:
    """Let a VariableInvalid from inside say where its object of variables stands."""
    try:
        yield
    except VariableInvalid as error:
        error.within = (*steps, *error.within)
        raise


class NotStartable(Invalid):
    """The definition cannot be started this way."""


class Problem(NamedTuple):
    """One thing wrong with a file: where it is and which rule it breaks.

    Attributes:
        element: id of the element, or its tag where it has none, or empty for the file.
        line: 1-based line in the file, 0 if unknown.
        rule: stable short name of the rule.
        message: one sentence for the modeller.
        trace: steps that lead to it, where it was found by exploring the process.
    """

    element: str
    line: int
    rule: str
    message: str
    resource: str = ""
    trace: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values; `trace` only where there is one."""
        told = self._asdict()
        return told if self.trace else {name: value for name, value in told.items() if name != "trace"}


class DefinitionInvalid(Invalid):
    """The file cannot be deployed."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        first = problems[0] if problems else Problem("", 0, "unknown", "unknown")
        where = f"{first.element} (line {first.line})" if first.element else f"line {first.line}"
        more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
        super().__init__(f"{where}: {first.message}{more}")
        self.problems = problems


class PlanInvalid(Invalid):
    """The migration cannot be done by this plan; carries every problem found."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
        super().__init__(f"{problems[0].element}: {problems[0].message}{more}")
        self.problems = problems


class Conflict(Refused):
    """Not possible in the present state."""


class LeaseConflict(Conflict):
    """The task is not leased to this worker under this lease, or the lease has run out."""

    invariant = "ExternalTaskLeaseConflict"


class RetriesNotMonotonic(Conflict):
    """A worker may not raise the number of retries."""

    invariant = "RetriesNotMonotonic"


class TaskClosed(Conflict):
    """The task is already completed, failed or cancelled."""


class TaskNotYours(Conflict):
    """The task is assigned to somebody else."""


class TaskDelegated(Conflict):
    """The task was delegated: it is resolved first, then completed."""


class EscalationUncaught(Conflict):
    """Nothing here catches this escalation."""


class InstancesRunning(Conflict):
    """Instances of this version have not ended."""


class InstanceEnded(Conflict):
    """The instance has ended."""


class Suspended(Conflict):
    """The instance is suspended."""


class NothingToRetry(Conflict):
    """The token has not failed."""


class TimerClosed(Conflict):
    """The timer has fired or was cancelled."""

    invariant = "TimerFiredTwice"


class JobClosed(Conflict):
    """The job is not there to be run, or its lease belongs to somebody else."""


class MessageAmbiguous(Conflict):
    """More than one receiver waits for this message; say which one, or ask for all."""


class TooLarge(Conflict):
    """Too many rows for one transaction; ask for it asynchronously."""


class Busy(Conflict):
    """The instance is busy; try again."""


class IdempotencyInProgress(Conflict):
    """A call with this idempotency key is still being answered; try again."""


class AnswerNotKept(Conflict):
    """This call was carried out, but its answer was too large to be kept."""


class IdempotencyMismatch(Invalid):
    """This idempotency key was used for another request."""


class InvariantViolated(EngineError):
    """An invariant of the engine would be broken.

    Attributes:
        request: the command that would have, until its instance is frozen; the shell's.
    """

    request: object | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.invariant = cls.__name__


class TokenInvalidTransition(InvariantViolated):
    """A token cannot change this way."""


class TokenFinalizedTwice(InvariantViolated):
    """A token would become final a second time."""


class JoinIncomplete(InvariantViolated):
    """A join would fire although an incoming flow holds no token."""


class JoinFiredTwice(InvariantViolated):
    """A join that is closed would fire again."""


class SequenceGap(InvariantViolated):
    """The history of an instance would not be a sequence without gaps."""


class OrphanToken(InvariantViolated):
    """A live token would stand in an ended scope."""


class StrandedScope(InvariantViolated):
    """A live scope would have neither a live token nor a live inner scope."""


class TimerFiredTwice(InvariantViolated):
    """A timer would fire a second time."""


class ExternalTaskLeaseConflict(InvariantViolated):
    """A leased task would lack its worker, or an unleased one have one."""
