"""Every status and every transport failure has one documented error."""

from __future__ import annotations

import inspect
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from bpm.worker import (
    AnswerNotKept,
    EngineClient,
    EngineError,
    EngineUnavailable,
    LeaseLost,
    MalformedAnswer,
    NotFound,
    Refused,
    Unauthorized,
)
from bpm.worker.answers import error_of_transport
from tests.worker.scripted_engine import LEASE_CONFLICT, Answer, ScriptedEngine, once, problem


def unlock(engine: ScriptedEngine, client: EngineClient, answer: Answer) -> EngineError:
    engine.script("unlock", answer)
    with pytest.raises(EngineError) as caught:
        client.unlock("task-1", "worker-1", 1)
    return caught.value


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (problem(400, "InvalidRequest"), Refused),
        (problem(401, "NotAuthenticated"), Unauthorized),
        (problem(403, "PermissionDenied"), Unauthorized),
        (problem(404, "TaskNotFound"), NotFound),
        (problem(405, "MethodNotAllowed"), Refused),
        (problem(408, "RequestTimeout"), EngineUnavailable),
        (LEASE_CONFLICT, LeaseLost),
        (problem(409, "LeaseConflict"), LeaseLost),
        (problem(409, "TaskClosed"), LeaseLost),
        (problem(409, "InstanceEnded"), LeaseLost),
        (problem(409, "AnswerNotKept"), AnswerNotKept),
        (problem(409, "Conflict", violation="ExternalTaskLeaseConflict"), LeaseLost),
        (problem(409, "Suspended"), EngineUnavailable),
        (problem(409, "IdempotencyInProgress"), EngineUnavailable),
        (problem(409, "InstanceBusy", retry_after="1"), EngineUnavailable),
        (problem(409, "RetriesNotMonotonic", violation="RetriesNotMonotonic"), Refused),
        (problem(413, "TooLarge"), Refused),
        (problem(422, "IdempotencyKeyReused"), Refused),
        (problem(429, "Throttled", retry_after="2"), EngineUnavailable),
        (problem(500, "InvariantViolated", violation="JoinFiredTwice"), EngineUnavailable),
        (problem(503, "Overloaded", retry_after="2"), EngineUnavailable),
    ],
    ids=lambda value: f"{value.status}-{value.body['code']}" if isinstance(value, Answer) else value.__name__,
)
def test_problems_have_one_error_each(
    engine: ScriptedEngine, client: EngineClient, answer: Answer, kind: type[EngineError]
) -> None:
    error = unlock(engine, client, answer)
    assert type(error) is kind
    assert (error.status, error.code) == (answer.status, answer.body["code"])
    assert str(error) == f"{answer.status} {answer.body['code']}: {answer.body['error']}"


@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        (
            Answer(502, b"<html>bad gateway</html>", {"Content-Type": "text/html"}),
            EngineUnavailable,
            "502: Bad",
        ),
        (Answer(200, b"<html>hello</html>", {"Content-Type": "text/html"}), EngineUnavailable, "not JSON"),
        (Answer(200, b'{"a":', {}), MalformedAnswer, "not the JSON it says"),
        (Answer(404, b"nothing here", {"Content-Type": "text/plain"}), NotFound, "404: Not Found"),
        (Answer(301, b"", {"Location": "https://x/"}), Refused, "redirected to https://x/"),
        (Answer(400, {"detail": "lease_id: missing"}), Refused, "400: lease_id: missing"),
        (Answer(400, [1]), Refused, "400: Bad Request"),
    ],
    ids=["proxy", "page", "cut", "plain", "redirect", "detail", "list"],
)
def test_answers_that_are_no_problem_json(
    engine: ScriptedEngine, client: EngineClient, answer: Answer, kind: type[EngineError], text: str
) -> None:
    error = unlock(engine, client, answer)
    assert type(error) is kind
    assert text in str(error)


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("3", 3, 3),
        ("0.5", 0.5, 0.5),
        ("-1", 0, 0),
        ("999999", 3_600, 3_600),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0, 0),
    ],
)
def test_retry_after_is_read(
    engine: ScriptedEngine, client: EngineClient, header: str, least: float, most: float
) -> None:
    error = unlock(engine, client, problem(503, "Overloaded", retry_after=header))
    assert isinstance(error, EngineUnavailable)
    assert error.retry_after_s is not None
    assert least <= error.retry_after_s <= most


def test_retry_after_as_a_date_is_read(engine: ScriptedEngine, client: EngineClient) -> None:
    header = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    error = unlock(engine, client, problem(503, "Overloaded", retry_after=header))
    assert isinstance(error, EngineUnavailable)
    assert error.retry_after_s is not None
    assert 60 <= error.retry_after_s <= 100


@pytest.mark.parametrize("header", ["soon", "nan", "inf", ""])
def test_unreadable_retry_after_counts_as_none(
    engine: ScriptedEngine, client: EngineClient, header: str
) -> None:
    error = unlock(engine, client, problem(503, "Overloaded", retry_after=header))
    assert isinstance(error, EngineUnavailable)
    assert error.retry_after_s is None


@pytest.mark.parametrize(
    ("answer", "may"),
    [
        (Answer(lost=True), True),
        (problem(500, "Fault"), True),
        (problem(409, "IdempotencyInProgress"), True),
        (problem(409, "Suspended"), False),
        (problem(429, "Throttled"), False),
    ],
)
def test_doubt_about_the_effect(
    engine: ScriptedEngine, client: EngineClient, answer: Answer, may: bool
) -> None:
    error = unlock(engine, client, answer)
    assert isinstance(error, EngineUnavailable)
    assert error.may_have_been_processed is may


def test_an_unreachable_engine_has_done_nothing(engine: ScriptedEngine) -> None:
    # Port 9 (discard) of the loopback address is closed.
    with (
        EngineClient("http://127.0.0.1:9", timeout_s=1.0) as client,
        pytest.raises(EngineUnavailable) as caught,
    ):
        client.unlock("task-1", "worker-1", 1)
    assert caught.value.may_have_been_processed is False


def test_an_answer_that_takes_too_long_is_none(engine: ScriptedEngine) -> None:
    given_up = threading.Event()
    engine.script("unlock", once(given_up, Answer()))
    with (
        EngineClient(engine.url, timeout_s=0.2) as client,
        pytest.raises(EngineUnavailable, match="ReadTimeout"),
    ):
        client.unlock("task-1", "worker-1", 1)
    given_up.set()


def request_errors(kind: type[httpx.RequestError] = httpx.RequestError) -> list[type[httpx.RequestError]]:
    return [kind, *(leaf for child in kind.__subclasses__() for leaf in request_errors(child))]


@pytest.mark.parametrize("kind", request_errors())
def test_every_transport_failure_is_unavailability(kind: type[httpx.RequestError]) -> None:
    error = error_of_transport(kind("it broke"))
    assert f"{kind.__name__}: it broke" in str(error)
    sent = kind.__name__ in {
        "RequestError", "TransportError", "TimeoutException", "NetworkError", "ProtocolError",
        "ReadTimeout", "WriteTimeout", "ReadError", "WriteError", "CloseError",
        "RemoteProtocolError", "DecodingError", "TooManyRedirects",
    }  # fmt: skip
    assert error.may_have_been_processed is sent


def test_the_drawn_tree_is_the_tree() -> None:
    drawn = inspect.getdoc(inspect.getmodule(EngineError)) or ""
    names = {child.__name__ for child in EngineError.__subclasses__()}
    assert names == {line.split()[1] for line in drawn.splitlines() if line.lstrip().startswith(("├", "└"))}
