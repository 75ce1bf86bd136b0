"""Facts. Every change of a state is one of these, and carries all that `evolve` needs (semantics §10).

Each event is a frozen value of JSON-able fields and has a category. Names and shapes are part of the API and of every
stored history: a field is added with a default, never renamed; a changed shape gets an upcast. Values and free text
stand only in events marked `erasable`: those whose loss changes no token.
"""

from __future__ import annotations

from bpm.core.events.event import (
    Event,
    TokenEvent,
)
from bpm.core.events.external_tasks import (
    ExternalTaskCancelled,
    ExternalTaskCompleted,
    ExternalTaskCreated,
    ExternalTaskErrorNoted,
    ExternalTaskErrorThrown,
    ExternalTaskEvent,
    ExternalTaskFailed,
    ExternalTaskLocked,
    ExternalTaskLockExpired,
    ExternalTaskLockExtended,
    ExternalTaskPrioritySet,
    ExternalTaskRetried,
    ExternalTaskRetriesSet,
    ExternalTaskUnlocked,
)
from bpm.core.events.incidents import (
    IncidentDescribed,
    IncidentOpened,
    IncidentResolved,
)
from bpm.core.events.instances import (
    InstanceActivated,
    InstanceCancelled,
    InstanceCompleted,
    InstanceFailed,
    InstanceRecovered,
    InstanceStarted,
    InstanceSuspended,
)
from bpm.core.events.jobs import (
    JobCancelled,
    JobCompleted,
    JobCreated,
    JobErrorNoted,
    JobEvent,
    JobFailed,
    JobLeaseExpired,
    JobRetried,
    JobStarted,
)
from bpm.core.events.joins import (
    JoinArrived,
    JoinClosed,
    JoinFired,
    JoinGroupsMerged,
    JoinOpened,
    JoinRecounted,
)
from bpm.core.events.scopes import (
    ScopeCompleted,
    ScopeEntered,
    ScopeTerminated,
)
from bpm.core.events.timers import (
    TimerCancelled,
    TimerFired,
    TimerScheduled,
)
from bpm.core.events.tokens import (
    NodeExecutionStarted,
    TokenActivated,
    TokenArrived,
    TokenBlocked,
    TokenCompleted,
    TokenCreated,
    TokenFailed,
    TokenRecovered,
    TokenResumed,
    TokenRetried,
    TokenSuspended,
    TokenTerminated,
)
from bpm.core.events.user_tasks import (
    UserTaskAssigned,
    UserTaskCancelled,
    UserTaskClaimed,
    UserTaskCompleted,
    UserTaskCreated,
    UserTaskEvent,
    UserTaskUnclaimed,
)
from bpm.core.events.variables import (
    VariableRemoved,
    VariableSet,
)

__all__ = [
    "Event",
    "ExternalTaskCancelled",
    "ExternalTaskCompleted",
    "ExternalTaskCreated",
    "ExternalTaskErrorNoted",
    "ExternalTaskErrorThrown",
    "ExternalTaskEvent",
    "ExternalTaskFailed",
    "ExternalTaskLockExpired",
    "ExternalTaskLockExtended",
    "ExternalTaskLocked",
    "ExternalTaskPrioritySet",
    "ExternalTaskRetried",
    "ExternalTaskRetriesSet",
    "ExternalTaskUnlocked",
    "IncidentDescribed",
    "IncidentOpened",
    "IncidentResolved",
    "InstanceActivated",
    "InstanceCancelled",
    "InstanceCompleted",
    "InstanceFailed",
    "InstanceRecovered",
    "InstanceStarted",
    "InstanceSuspended",
    "JobCancelled",
    "JobCompleted",
    "JobCreated",
    "JobErrorNoted",
    "JobEvent",
    "JobFailed",
    "JobLeaseExpired",
    "JobRetried",
    "JobStarted",
    "JoinArrived",
    "JoinClosed",
    "JoinFired",
    "JoinGroupsMerged",
    "JoinOpened",
    "JoinRecounted",
    "NodeExecutionStarted",
    "ScopeCompleted",
    "ScopeEntered",
    "ScopeTerminated",
    "TimerCancelled",
    "TimerFired",
    "TimerScheduled",
    "TokenActivated",
    "TokenArrived",
    "TokenBlocked",
    "TokenCompleted",
    "TokenCreated",
    "TokenEvent",
    "TokenFailed",
    "TokenRecovered",
    "TokenResumed",
    "TokenRetried",
    "TokenSuspended",
    "TokenTerminated",
    "UserTaskAssigned",
    "UserTaskCancelled",
    "UserTaskClaimed",
    "UserTaskCompleted",
    "UserTaskCreated",
    "UserTaskEvent",
    "UserTaskUnclaimed",
    "VariableRemoved",
    "VariableSet",
]
