"""A caller of the API over Django's test client, with exact JSON both ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.test import Client

from bpm.core.values import from_outside, to_text

NOBODY = "00000000-0000-7000-8000-000000000000"
PROBLEM_MEMBERS = {"type", "title", "status", "detail", "code", "error"}


@dataclass
class Answer:
    """An answer of the API."""

    status: int
    body: Any
    headers: Any
    content: bytes

    @property
    def items(self) -> list[Any]:
        """The items of a page."""
        return list(self.body["items"])

    @property
    def places(self) -> set[tuple[str, str]]:
        """Place and rule of each error of a problem."""
        return {(error["place"], error["rule"]) for error in self.body["errors"]}

    def problem(self, status: int, code: str) -> Answer:
        """Check that this is a whole problem of that status and code."""
        assert (self.status, self.body.get("code")) == (status, code), self.body
        assert self.headers["Content-Type"] == "application/problem+json"
        assert self.body.keys() >= PROBLEM_MEMBERS
        assert self.body["status"] == status
        assert self.body["detail"] == self.body["error"] != ""
        return self

    def ok(self, status: int = 200) -> Any:
        """Check the status and return the body."""
        assert self.status == status, (self.status, self.body)
        return self.body


class Api:
    """Sends requests; `headers` go with each."""

    def __init__(self, client: Client, **headers: str) -> None:
        self.client = client
        self.headers = {"host": "localhost", **headers}

    def but(self, **headers: str) -> Api:
        """Return a caller with other or further headers; an empty one is left out."""
        return Api(self.client, **{name: value for name, value in (self.headers | headers).items() if value})

    def get(self, path: str, **query: object) -> Answer:
        """Send a GET."""
        address = f"/api/v1{path}" + (f"?{urlencode(query)}" if query else "")
        return _answer(self.client.get(address, headers=self.headers))

    def post(self, path: str, body: object = None, *, key: str = "", tenant: str = "") -> Answer:
        """Send a POST with a JSON body, or without any."""
        content = b"" if body is None else to_text(body).encode()
        return self.send(path, content, "application/json", key=key, tenant=tenant)

    def put(self, path: str, body: object) -> Answer:
        """Send a PUT with a JSON body."""
        return self.send_as("PUT", path, body)

    def patch(self, path: str, body: object) -> Answer:
        """Send a PATCH with a JSON body."""
        return self.send_as("PATCH", path, body)

    def send_as(self, method: str, path: str, body: object = None) -> Answer:
        """Send a request with a JSON body, or without any."""
        content = b"" if body is None else to_text(body).encode()
        address = f"/api/v1{path}"
        request = self.client.generic
        return _answer(
            request(method, address, content, content_type="application/json", headers=self.headers)
        )

    def send(
        self, path: str, content: bytes, content_type: str, *, key: str = "", tenant: str = ""
    ) -> Answer:
        """Send a POST with any bytes."""
        extra = {"idempotency-key": key, "x-tenant-id": tenant}
        headers = self.headers | {name: value for name, value in extra.items() if value}
        address = f"/api/v1{path}"
        return _answer(
            self.client.generic("POST", address, content, content_type=content_type, headers=headers)
        )

    def deploy(self, content: bytes, **query: object) -> Answer:
        """Deploy one file."""
        return self.send(f"/process-definitions/deploy?{urlencode(query)}", content, "application/xml")

    def start(self, process: str, **fields: object) -> str:
        """Start an instance and return its id."""
        body = self.post("/process-instances", {"process_def_id": process, **fields}).ok(201)
        return str(body["instance_id"])

    def fetch(self, worker: str = "w1", topic: str = "payment", **fields: object) -> list[Any]:
        """Fetch and lock tasks of one topic."""
        asked = {"worker_id": worker, "task_types": [topic], "max_tasks": 10, "lock_duration_ms": 60_000}
        found = self.post("/external-tasks/fetch-and-lock", asked | fields).ok()
        return list(found)

    def instance(self, instance: str) -> Any:
        """Return one instance."""
        return self.get(f"/process-instances/{instance}").ok()

    def events(self, instance: str) -> list[Any]:
        """Return the first 1,000 events of an instance."""
        return self.get(f"/process-instances/{instance}/history", limit=1_000).items


def _answer(response: Any) -> Answer:
    content = b"".join(response) if response.streaming else response.content
    kind = response.headers.get("Content-Type", "")
    is_json = "json" in kind and "ndjson" not in kind
    return Answer(
        response.status_code,
        from_outside(content.decode()) if is_json and content else None,
        response.headers,
        content,
    )
