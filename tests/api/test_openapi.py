"""/openapi.json, /docs and /health."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver
from drf_spectacular.validation import validate_schema

from tests.api.caller import Api

OPEN = {"/api/v1/health"}
NOT_DESCRIBED = {"openapi.json", "docs"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The document as anybody gets it."""
    return dict(Api(Client()).get("/openapi.json").ok())


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_the_document_is_valid(document: dict[str, Any]) -> None:
    check: Any = validate_schema
    check(document)


def test_the_document_names_every_route(document: dict[str, Any]) -> None:
    api: Any = next(r for r in get_resolver().url_patterns if str(r.pattern) == "api/v1/")
    routes = {str(route.pattern) for route in api.url_patterns} - NOT_DESCRIBED
    known = {route.replace("<str:", "{").replace(">", "}") for route in routes if "rest" not in route}
    assert {path.removeprefix("/api/v1/") for path in document["paths"]} == known


def test_every_operation_has_a_name_errors_and_credentials(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in _operations(document)]
    assert len(names) == len(set(names))
    for path, method, operation in _operations(document):
        assert operation["summary"], path
        assert {"400", "503"} <= operation["responses"].keys(), path
        if path not in OPEN:
            assert operation["security"] == [{"token": []}, {"session": []}], path
        if method == "post":
            headers = {p["name"] for p in operation["parameters"] if p["in"] == "header"}
            assert headers == {"Idempotency-Key", "x-tenant-id"}, path
            assert "409" in operation["responses"], path


def test_the_page_to_try_runs_under_the_strict_policy(client: Client, db: None) -> None:
    page = client.get("/api/v1/docs", headers={"host": "localhost"})
    assert page.status_code == 200
    text = page.content.decode()
    assert "unsafe" not in page.headers["Content-Security-Policy"]
    assert "https://" not in text
    assert "<script>" not in text
    script = client.get("/api/v1/docs?script=", headers={"host": "localhost"})
    assert script.headers["Content-Type"].startswith("application/javascript")
    assert "openapi.json" in script.content.decode().replace("\\u002D", "-")
    bundle = client.get("/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js")
    assert (bundle.status_code, len(b"".join(bundle)) > 100_000) == (200, True)
    bundle.close()


def test_options_tell_the_methods(api: Api) -> None:
    answer = api.client.options("/api/v1/process-instances", headers=api.headers)
    assert (answer.status_code, answer.headers["Allow"]) == (200, "GET, POST, HEAD, OPTIONS")
    assert Client().options("/api/v1/tasks", headers={"host": "localhost"}).status_code == 401


def test_health_needs_no_credentials_and_tells_little(db: None) -> None:
    body = Api(Client()).get("/health").ok()
    assert body == {"status": "ok", "loop_age_s": None, "queue_age_s": None, "lag_ms": 0}
