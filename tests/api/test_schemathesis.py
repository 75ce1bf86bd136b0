"""Generated calls of every operation of the OpenAPI document, valid and invalid ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from knox.models import AuthToken
from pytest_django import Settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from bpm import engine
from bpm.project.wsgi import application
from tests.api.definitions import EVERY

schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", application)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


@pytest.fixture(autouse=True)
def _one_connection(db: None) -> Iterator[None]:
    """Let requests live in the test's transaction, as those of Django's test client do."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture(autouse=True)
def _no_waiting(settings: Settings) -> None:
    settings.BPM = settings.BPM | {"WEB_THREADS": 1}


@pytest.fixture
def things(db: None) -> dict[str, str]:
    """Path parameter to the id of something that is there."""
    deployed = engine.deploy(list(EVERY.items()))
    paying = engine.start("payment-flow", business_key="k")["instance_id"]
    (task,) = engine.fetch_and_lock("w1", topics=["payment"], max_tasks=1, lock_ms=60_000)
    return {
        "definition_id": deployed["definitions"][0]["id"],
        "instance_id": paying,
        "task_id": task["task_id"],
        "token_id": task["token_id"],
    }


@pytest.fixture
def credentials(db: None) -> dict[str, str]:
    """Headers of an operator."""
    _, key = AuthToken.objects.create(User.objects.create_user("olga", is_superuser=True))
    return {"Authorization": f"Token {key}", "Host": "localhost"}


@pytest.mark.slow
@schema.parametrize()
@hypothesis_settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_operation_keeps_its_promises(
    case: Any, things: dict[str, str], credentials: dict[str, str]
) -> None:
    case.call_and_validate(headers=credentials, checks=CHECKS)
    known = {name: things[name] for name in case.path_parameters or {} if name in things}
    if known:
        case.path_parameters = case.path_parameters | known
        case.call_and_validate(headers=credentials, checks=CHECKS)
