"""Errors as answers."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404
from rest_framework.exceptions import Throttled

from api import problems
from bpm.core import errors
from bpm.core.errors import EngineError
from tests.api.caller import Api


def _below(cls: type[EngineError]) -> Iterator[type[EngineError]]:
    yield cls
    for sub in cls.__subclasses__():
        yield from _below(sub)


def _of_this_project() -> list[type[EngineError]]:
    return [
        cls for cls in _below(EngineError) if cls.__module__.startswith(("bpm.core.", "bpm.queries.", "api."))
    ]


def test_every_error_has_a_status_of_its_own() -> None:
    missing = [cls.__name__ for cls in _of_this_project() if cls not in problems.STATUS]
    assert not missing, "give each of these a line in api.problems.STATUS"


def test_statuses_tell_refusals_from_bugs() -> None:
    for cls in _of_this_project():
        status = problems.STATUS[cls]
        if issubclass(cls, errors.InvariantViolated) or cls is EngineError:
            assert status == 500, cls
        elif status != 503:
            assert 400 <= status < 500, cls


def test_the_page_lists_every_refusal_under_its_status() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "problems.md").read_text()
    listed = {
        code: int(line.split("|")[1])
        for line in page.splitlines()
        if re.match(r"\| [45]\d\d ", line)
        for code in re.findall(r"[A-Z]\w+", line.split("|")[2].partition(", with")[0])
    }
    bases = {EngineError, errors.Refused, errors.NotFound, errors.Conflict}
    refusals = {cls.code: problems.STATUS[cls] for cls in _of_this_project() if cls not in bases}
    expected = {code: status for code, status in refusals.items() if status != 500}
    assert expected.items() - listed.items() == set()


def test_codes_differ() -> None:
    codes = [cls.code for cls in _of_this_project()]
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize("cls", [cls for cls in _of_this_project() if cls.__init__ is EngineError.__init__])
def test_each_error_makes_a_whole_problem(cls: type[EngineError]) -> None:
    answer = problems.problem_of(cls("What happened.", task="t1", status="FAILED", many=("a", "b")))
    body = answer.data
    assert answer.status_code == body["status"] == problems.STATUS[cls]
    assert body["type"] == f"urn:bpm-engine:problem:{cls.code}"
    assert (body["code"], body["detail"], body["error"]) == (cls.code, "What happened.", "What happened.")
    assert body["details"] == {"task": "t1", "status": "FAILED", "many": ["a", "b"]}
    assert answer.headers.get("X-Invariant-Violation") == cls.invariant


def test_a_class_that_nobody_listed_has_its_bases_status() -> None:
    class Unlisted(errors.LeaseConflict):
        """Something new."""

    try:
        assert problems.status_of(Unlisted()) == 409
    finally:
        del Unlisted


@pytest.mark.parametrize("cls", [errors.Busy, errors.IdempotencyInProgress])
def test_what_passes_says_when_to_come_again(cls: type[EngineError]) -> None:
    assert problems.problem_of(cls()).headers["Retry-After"] == "1"


def test_a_definitions_problems_are_all_named() -> None:
    found = (
        errors.Problem("task1", 7, "no-flow", "It has no flow.", "a.bpmn"),
        errors.Problem("", 0, "x", "y"),
    )
    body = problems.problem_of(errors.DefinitionInvalid(found)).data
    assert body["problems"] == [
        {
            "element": "task1",
            "line": 7,
            "rule": "no-flow",
            "message": "It has no flow.",
            "resource": "a.bpmn",
        },
        {"element": "", "line": 0, "rule": "x", "message": "y", "resource": ""},
    ]


def test_a_broken_invariant_is_logged_with_its_instance(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "api"):
        answer = problems.handle(errors.JoinFiredTwice(instance="i-1", join="j-1"), {})
    assert answer.status_code == 500
    assert answer.headers["X-Invariant-Violation"] == "JoinFiredTwice"
    assert "i-1" in caplog.text


def test_a_bug_is_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "api"):
        answer = problems.handle(ZeroDivisionError("secret"), {})
    assert (answer.status_code, answer.data["code"]) == (500, "InternalError")
    assert "secret" not in str(answer.data)
    assert "secret" in caplog.text


def _database_error(cause: Exception) -> OperationalError:
    error = OperationalError(str(cause))
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (_database_error(psycopg.errors.LockNotAvailable()), 409, "Busy"),
        (_database_error(psycopg.errors.DeadlockDetected()), 409, "Busy"),
        (_database_error(psycopg.errors.SerializationFailure()), 409, "Busy"),
        (OperationalError("database is locked"), 409, "Busy"),
        (_database_error(psycopg.errors.QueryCanceled()), 503, "EngineUnavailable"),
        (OperationalError("server closed the connection unexpectedly"), 503, "EngineUnavailable"),
        (InterfaceError("connection already closed"), 503, "EngineUnavailable"),
        (RequestDataTooBig(), 413, "BodyTooLarge"),
        (PermissionDenied("no"), 403, "NotAllowed"),
        (Http404(), 404, "NotFound"),
        (Throttled(wait=7), 429, "TooManyRequests"),
    ],
)
def test_errors_of_framework_and_database_are_problems_too(error: Exception, status: int, code: str) -> None:
    answer = problems.handle(error, {})
    assert (answer.status_code, answer.data["code"]) == (status, code)
    assert answer.data["detail"]
    assert answer.content_type == "application/problem+json"
    if status in (429, 503) or code == "Busy":
        assert int(answer.headers["Retry-After"]) >= 1


@pytest.mark.parametrize("path", ["/", "/nothing", "/process-instances/", "/tasks/1/2/3", "/../admin"])
def test_an_unknown_address_is_a_problem(db: None, api: Api, path: str) -> None:
    api.get(path).problem(404, "NotFound")
    api.post(path, {}).problem(404, "NotFound")


def test_the_answer_is_json_whatever_is_accepted(db: None, api: Api) -> None:
    for accept in ("text/html", "application/xml", "rubbish"):
        answer = api.but(accept=accept).get("/tasks")
        assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
