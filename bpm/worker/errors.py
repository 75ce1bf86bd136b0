"""What a call to the engine can end in, other than its answer.

The tree::

    EngineError
    ├── LeaseLost           409 ExternalTaskLeaseConflict, TaskClosed or InstanceEnded, or the lease ran out
    ├── AnswerNotKept       409 AnswerNotKept: done before under this key, but the answer is gone
    ├── NotFound            404
    ├── Unauthorized        401, 403
    ├── Refused             any other 3xx or 4xx: the same call will be refused again
    ├── EngineUnavailable   no answer, 5xx, 408, 425, 429, or a 409 that says "later"
    └── MalformedAnswer     a 2xx whose JSON is not what the API promises
"""

from __future__ import annotations


class EngineError(Exception):
    """The engine did not do what it was asked.

    Attributes:
        detail: One sentence for a human: the answer's `error`, else its `detail` or `title`.
        status: HTTP status; None when there was no answer.
        code: The stable code of the refusal, as in the problem body; None when there was none.
    """

    def __init__(self, detail: str, *, status: int | None = None, code: str | None = None) -> None:
        self.detail = detail
        self.status = status
        self.code = code
        super().__init__(detail)

    def __str__(self) -> str:
        origin = " ".join(str(part) for part in (self.status, self.code) if part is not None)
        return f"{origin}: {self.detail}" if origin else self.detail


class LeaseLost(EngineError):
    """The task no longer belongs to this worker; whatever it did must not be reported (semantics §5)."""


class AnswerNotKept(EngineError):
    """The call was carried out under this Idempotency-Key before; its answer was too large to be kept."""


class NotFound(EngineError):
    """There is no such task, instance or address."""


class Unauthorized(EngineError):
    """The token is missing, wrong, or not allowed to do this."""


class Refused(EngineError):
    """The engine understood the call and will not do it; repeating it unchanged is useless."""


class EngineUnavailable(EngineError):
    """No usable answer now; the same call with the same Idempotency-Key may be repeated later.

    Attributes:
        retry_after_s: Seconds to wait at least, from `Retry-After`; None when the engine named none.
        may_have_been_processed: False only when the call certainly had no effect: no connection was made,
            or the engine answered that it did nothing.
    """

    def __init__(
        self,
        detail: str,
        *,
        status: int | None = None,
        code: str | None = None,
        retry_after_s: float | None = None,
        may_have_been_processed: bool = True,
    ) -> None:
        super().__init__(detail, status=status, code=code)
        self.retry_after_s = retry_after_s
        self.may_have_been_processed = may_have_been_processed


class MalformedAnswer(EngineError):
    """The answer breaks the API's promise; the message names the field."""
