"""A visitor of the demo's REST interface, as a program outside would be."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from typing import Any, Self

import httpx

START_WITHIN_S = 30.0
ENDED = ("COMPLETED", "CANCELLED", "FAILED")


class DemoFailed(Exception):
    """Something did not go as the demo promises; the text says what."""


class Visitor:
    """Calls the API under one address; each wait also looks after the demo's programs.

    Args:
        look_after: called about five times a second while waiting.
    """

    def __init__(self, url: str, look_after: Callable[[], None]) -> None:
        self.url = url
        self._look_after = look_after
        self._http = httpx.Client(base_url=f"{url}/api/v1", timeout=10.0, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._http.close()

    def wait_for_web(self, within_s: float) -> None:
        """Return when the web server answers. Raises: DemoFailed."""
        self._wait(self._answers, "the web server to answer", within_s)

    def start(self, process: str, business_key: str, variables: dict[str, Any]) -> str:
        """Start an instance and return its id."""
        body = {"process_def_id": process, "business_key": business_key, "variables": variables}
        # A repeated call with the same key starts nothing twice, so a web server that dies meanwhile does no harm.
        key = {"Idempotency-Key": str(uuid.uuid4())}

        def send() -> dict[str, Any]:
            return _read(self._http.post("/process-instances", json=body, headers=key))

        return str(self._wait(send, f"{process} to start", START_WITHIN_S)["instance_id"])

    def instance(self, instance_id: str) -> dict[str, Any]:
        """Return an instance as it is now."""
        return self._get(f"/process-instances/{instance_id}")

    def trace(self, instance_id: str) -> dict[str, Any]:
        """Return the trace of an instance."""
        return self._get(f"/process-instances/{instance_id}/trace")

    def wait_for_end(self, instance_id: str, within_s: float) -> dict[str, Any]:
        """Return an instance once it has ended or failed. Raises: DemoFailed."""

        def ended() -> dict[str, Any] | None:
            found = self.instance(instance_id)
            return found if found["status"] in ENDED else None

        found: dict[str, Any] = self._wait(ended, f"instance {instance_id} to end", within_s)
        return found

    def _answers(self) -> bool:
        return self._http.get("/health").status_code == httpx.codes.OK

    def _get(self, path: str) -> dict[str, Any]:
        return _read(self._http.get(path))

    def _wait(self, look: Callable[[], Any], what: str, within_s: float) -> Any:
        deadline = time.monotonic() + within_s
        reason = ""
        while time.monotonic() < deadline:
            self._look_after()
            try:
                found = look()
            except httpx.TransportError as error:
                reason = f" ({error})"
            else:
                if found:
                    return found
            time.sleep(0.2)
        raise DemoFailed(f"Waited {within_s:.0f} s for {what}{reason}.")


def _read(answer: httpx.Response) -> dict[str, Any]:
    if not answer.is_success:
        raise DemoFailed(f"{answer.request.method} {answer.request.url}: {answer.status_code} {answer.text}")
    found: dict[str, Any] = answer.json()
    return found
