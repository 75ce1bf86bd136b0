"""The worker SDK: does the external tasks of an engine from another process; needs httpx only, no Django."""

from __future__ import annotations

from bpm.worker.client import EngineClient, FetchedTasks, LeaseExtension
from bpm.worker.config import WorkerConfig
from bpm.worker.context import TaskContext
from bpm.worker.errors import (
    AnswerNotKept,
    EngineError,
    EngineUnavailable,
    LeaseLost,
    MalformedAnswer,
    NotFound,
    Refused,
    Unauthorized,
)
from bpm.worker.exact_json import JsonValue, NotJson, decode_json, encode_json
from bpm.worker.external_task import ExternalTask
from bpm.worker.handler import TaskHandler
from bpm.worker.result import TaskResult
from bpm.worker.topic import FetchTopic
from bpm.worker.worker import Worker

__all__ = [
    "AnswerNotKept",
    "EngineClient",
    "EngineError",
    "EngineUnavailable",
    "ExternalTask",
    "FetchTopic",
    "FetchedTasks",
    "JsonValue",
    "LeaseExtension",
    "LeaseLost",
    "MalformedAnswer",
    "NotFound",
    "NotJson",
    "Refused",
    "TaskContext",
    "TaskHandler",
    "TaskResult",
    "Unauthorized",
    "Worker",
    "WorkerConfig",
    "decode_json",
    "encode_json",
]
