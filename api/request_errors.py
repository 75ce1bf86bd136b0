"""What is wrong with a request before any command is made of it."""

from __future__ import annotations

from typing import NamedTuple

from bpm.engine import errors as engine_errors


class FieldError(NamedTuple):
    """One thing wrong with a request.

    Attributes:
        place: a JSON pointer into the body (empty for the body itself), `?name` for a query parameter, or
            the name of a header.
        rule: stable short name of the rule.
        message: one sentence.
    """

    place: str
    rule: str
    message: str


class RequestInvalid(engine_errors.Invalid):
    """The request breaks rules; `errors` names each with its place."""

    def __init__(self, errors: tuple[FieldError, ...]) -> None:
        first = errors[0]
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        super().__init__(f"{first.place or 'body'}: {first.message}{more}")
        self.errors = errors


class LengthRequired(RequestInvalid):
    """The request does not say how long its body is."""


class BodyTooLarge(engine_errors.Invalid):
    """The request body is larger than allowed."""


class MediaTypeUnsupported(engine_errors.Invalid):
    """The request body has a type that is not read here."""


class NotAllowed(engine_errors.Refused):
    """The caller has no right to this."""


class LimitReached(engine_errors.Refused):
    """A tenant or a token uses as much as it may; `retry_after_s` says when to come again."""


class RateExceeded(LimitReached):
    """More requests in this minute than allowed."""


class PollsExhausted(LimitReached):
    """As many requests wait for tasks as may."""


class InstancesExhausted(LimitReached):
    """As many instances run as may."""


class VariableTooLarge(engine_errors.Invalid):
    """A variable is larger than the caller may send."""


class EngineUnavailable(engine_errors.Conflict):
    """The database does not answer; try again."""


def invalid(place: str, rule: str, message: str) -> RequestInvalid:
    """Return the error for one broken rule."""
    return RequestInvalid((FieldError(place, rule, message),))
