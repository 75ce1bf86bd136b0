"""The tables. Models hold fields, constraints and indexes; behaviour is elsewhere (docs/reference/tables.md).

Everything an instance owns carries its id, and keys and indexes begin with it or are partial on what is live, so that
the size of what has ended does not slow what runs. Rows that an instance owns have no database foreign key: they are
written in the same statement as the instance, by whoever holds it, and are checked by verification
(docs/decisions/0005-no-foreign-keys-on-the-hot-path.md).
"""

from __future__ import annotations

from bpm.models.definitions import Definition, DefinitionEvent, DefinitionKey, Deployment, Resource
from bpm.models.delivery import IdempotencyRecord, MessageBuffer, Outbox
from bpm.models.forms import FormDefinition
from bpm.models.heartbeat import Heartbeat
from bpm.models.history import HistoryEvent
from bpm.models.incidents import CompensationRecord, Incident
from bpm.models.instances import ProcessInstance, Scope, Variable
from bpm.models.retention import RetentionRule
from bpm.models.tasks import Comment, ExternalTask, UserTask, UserTaskCandidate
from bpm.models.tokens import ParallelJoinState, Token
from bpm.models.verification import ReplaySession, RetentionMarker, Verification, VerificationPlace
from bpm.models.waits import Job, Subscription, Timer

__all__ = [
    "Comment",
    "CompensationRecord",
    "Definition",
    "DefinitionEvent",
    "DefinitionKey",
    "Deployment",
    "ExternalTask",
    "FormDefinition",
    "Heartbeat",
    "HistoryEvent",
    "IdempotencyRecord",
    "Incident",
    "Job",
    "MessageBuffer",
    "Outbox",
    "ParallelJoinState",
    "ProcessInstance",
    "ReplaySession",
    "Resource",
    "RetentionMarker",
    "RetentionRule",
    "Scope",
    "Subscription",
    "Timer",
    "Token",
    "UserTask",
    "UserTaskCandidate",
    "Variable",
    "Verification",
    "VerificationPlace",
]
