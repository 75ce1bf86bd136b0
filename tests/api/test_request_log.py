"""Log lines of requests and commands, and the id that ties them together."""

from __future__ import annotations

import json
import logging

import pytest
from django.test import Client

from bpm import engine
from bpm.project.logs import logging_config
from tests.support.loop_models import deploy, process

SECRET = "s3cr3t-value"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> pytest.LogCaptureFixture:
    for name in ("bpm.requests", "bpm.commands"):
        caplog.set_level(logging.DEBUG, logger=name)
    caplog.handler.setFormatter(_formatter())
    return caplog


def _formatter() -> logging.Formatter:
    described = logging_config("DEBUG", "json")["formatters"]["lines"]
    made = described.pop("()")
    formatter: logging.Formatter = made(**described)
    return formatter


def logged(lines: pytest.LogCaptureFixture, event: str) -> list[dict[str, object]]:
    found = [json.loads(lines.handler.format(record)) for record in lines.records]
    return [line for line in found if line.get("event") == event]


def test_a_request_is_one_line_with_the_callers_id(client: Client, lines: pytest.LogCaptureFixture) -> None:
    answer = client.get(
        f"/accounts/login/?password={SECRET}", headers={"X-Request-Id": "order-17", "Cookie": SECRET}
    )
    assert answer.headers["X-Request-Id"] == "order-17"
    (line,) = logged(lines, "request")
    assert {key: line[key] for key in ("method", "path", "status", "request_id", "user", "level")} == {
        "method": "GET",
        "path": "/accounts/login/",
        "status": 200,
        "request_id": "order-17",
        "user": None,
        "level": "info",
    }
    assert SECRET not in lines.text


@pytest.mark.parametrize("given", ["a b", "x" * 65, "{}", 'a"b', "ä"])
def test_any_other_text_gets_an_id_of_our_own(client: Client, given: str) -> None:
    answer = client.get("/health", headers={"X-Request-Id": given})
    assert len(answer.headers["X-Request-Id"]) == 32
    assert answer.headers["X-Request-Id"].isalnum()


def test_a_command_says_what_it_did_to_which_instance(
    transactional_db: None, lines: pytest.LogCaptureFixture
) -> None:
    deploy(process("p", "<userTask ID/>"))
    started = engine.start("p", variables={"card": SECRET})
    with pytest.raises(engine.errors.TokenNotFound):
        engine.retry_token("0197ab2c-0000-7000-8000-000000000000")
    done, refused = logged(lines, "command")
    assert (done["command"], done["outcome"], done["level"]) == ("StartInstance", "done", "debug")
    assert done["instance"] == started["instance_id"]
    assert (refused["command"], refused["outcome"], refused["level"]) == (
        "RetryToken",
        "TokenNotFound",
        "info",
    )
    assert refused["token"] == "0197ab2c-0000-7000-8000-000000000000"
    assert SECRET not in lines.text
