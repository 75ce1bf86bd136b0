"""One engine's address and credentials, and the sending of requests to it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from urllib.parse import urlsplit

import httpx

from bpm.worker.answers import error_of_transport
from bpm.worker.exact_json import encode_json

_API_PATH = "/api/v1"


class Connection:
    """Sends one request per call; safe to share between threads. Arguments as of `EngineClient`."""

    def __init__(
        self,
        base_url: str,
        token: str | None,
        tenant: str | None,
        timeout_s: float,
        http: httpx.Client | None,
    ) -> None:
        self.base_url = _api_url(base_url)
        self._headers = {"Accept": "application/json", "User-Agent": "bpm-worker"}
        if token:
            self._headers["Authorization"] = f"Token {_header_text(token, 'token')}"
        if tenant:
            self._headers["x-tenant-id"] = _header_text(tenant, "tenant")
        self._timeout_s = timeout_s
        self._owns_http = http is None
        self._http = http or httpx.Client(limits=httpx.Limits(max_connections=None))

    def close(self) -> None:
        """Close the connections, unless they belong to the caller's own client."""
        if self._owns_http:
            self._http.close()

    def get(self, path: str) -> httpx.Response:
        """Send a GET.

        Raises:
            EngineUnavailable: No answer came.
        """
        return self._send("GET", path, None, {}, 0.0)

    def post(
        self, path: str, body: Mapping[str, object], idempotency_key: str | None, wait_s: float = 0.0
    ) -> httpx.Response:
        """Send a POST under the given or a new Idempotency-Key.

        Args:
            wait_s: How long the engine may hold the request on purpose.

        Raises:
            EngineUnavailable: No answer came.
            NotJson: A value in the body.
            ValueError: The key cannot be sent.
        """
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        if not 1 <= len(key) <= 255:
            raise ValueError("idempotency_key must have 1 to 255 characters")
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": _header_text(key, "idempotency_key"),
        }
        return self._send("POST", path, encode_json(body), headers, wait_s)

    def _send(
        self, method: str, path: str, content: bytes | None, headers: Mapping[str, str], wait_s: float
    ) -> httpx.Response:
        try:
            return self._http.request(
                method,
                self.base_url + path,
                content=content,
                headers={**self._headers, **headers},
                timeout=httpx.Timeout(self._timeout_s, read=self._timeout_s + wait_s),
            )
        except httpx.RequestError as failure:
            raise error_of_transport(failure) from failure


def _api_url(base_url: str) -> str:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"base_url must look like http://host:port, is {base_url!r}")
    if parts.query or parts.fragment:
        raise ValueError(f"base_url must have neither query nor fragment, is {base_url!r}")
    try:
        httpx.URL(base_url)
    except httpx.InvalidURL as error:
        raise ValueError(f"base_url: {error}") from None
    trimmed = base_url.rstrip("/")
    return trimmed if trimmed.endswith(_API_PATH) else trimmed + _API_PATH


def _header_text(value: str, name: str) -> str:
    if not (value.isascii() and value.isprintable()):
        # The value stays out of the message: it may be a secret.
        raise ValueError(f"{name} must be printable ASCII text")
    return value
