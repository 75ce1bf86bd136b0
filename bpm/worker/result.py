"""What a handler says about its task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bpm.worker.exact_json import JsonValue, encode_json


class TaskResult:
    """The outcome of one run of a handler: made by `complete`, `fail` or `bpmn_error`.

    Values are checked when the result is made, so that an error points at the handler's own line.
    """

    @staticmethod
    def complete(variables: Mapping[str, JsonValue] | None = None) -> Completed:
        """The work is done; the token moves on.

        Args:
            variables: Written as semantics §9 says; `{"status": "PAID", "amount": Decimal("9.90")}`.

        Raises:
            NotJson: A value that JSON cannot hold, with its path.
        """
        return Completed(dict(variables or {}))

    @staticmethod
    def fail(
        error: str,
        retries: int | None = None,
        retry_after_ms: int | None = None,
        details: str | None = None,
    ) -> Failed:
        """The work could not be done this time.

        Args:
            error: One line for the operator.
            retries: Attempts left from now on; None takes one off; 0 opens an incident at once. For a task
                that has failed before, at most what is left.
            retry_after_ms: Not fetchable before that; >= 0; None leaves it to the definition's retry cycle.
            details: Longer text, such as a traceback.

        Raises:
            ValueError: A negative number.
            NotJson: A text that JSON cannot hold.
        """
        return Failed(error, retries, retry_after_ms, details)

    @staticmethod
    def bpmn_error(
        code: str, message: str | None = None, variables: Mapping[str, JsonValue] | None = None
    ) -> BpmnErrorThrown:
        """A business error, caught by an error boundary event of the model.

        Args:
            code: The BPMN error code; not empty.
            message: For the catching event's message variable.
            variables: Set where the error is caught.

        Raises:
            ValueError: The code is empty.
            NotJson: A value that JSON cannot hold, with its path.
        """
        return BpmnErrorThrown(code, message, dict(variables or {}))


@dataclass(frozen=True, slots=True)
class Completed(TaskResult):
    """Made by `TaskResult.complete`."""

    variables: Mapping[str, JsonValue] = field(repr=False)

    def __post_init__(self) -> None:
        encode_json(self.variables, "variables")


@dataclass(frozen=True, slots=True)
class Failed(TaskResult):
    """Made by `TaskResult.fail`."""

    error: str
    retries: int | None = None
    retry_after_ms: int | None = None
    details: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name, number in (("retries", self.retries), ("retry_after_ms", self.retry_after_ms)):
            if number is not None and number < 0:
                raise ValueError(f"{name} must be >= 0, is {number}")
        encode_json([self.error, self.details], "error")


@dataclass(frozen=True, slots=True)
class BpmnErrorThrown(TaskResult):
    """Made by `TaskResult.bpmn_error`."""

    code: str
    message: str | None = None
    variables: Mapping[str, JsonValue] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not self.code:
            raise ValueError("code must not be empty")
        encode_json([self.code, self.message], "bpmn_error")
        encode_json(self.variables, "variables")
