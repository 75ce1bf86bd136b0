"""The `Idempotency-Key` header (semantics §11)."""

from __future__ import annotations

from hashlib import sha256

from rest_framework.request import Request

from api.request_errors import invalid
from bpm.engine import Idempotency

MAX_KEY = 255


def idempotency_of(request: Request, principal: str, body: bytes) -> Idempotency | None:
    """Return the key with the fingerprint of method, path with query, and body; None without a key.

    Raises:
        RequestInvalid: an empty key, more than 255 characters, or others than printable ASCII.
    """
    key = request.META.get("HTTP_IDEMPOTENCY_KEY")
    if key is None:
        return None
    if not 1 <= len(key) <= MAX_KEY or not (key.isascii() and key.isprintable()):
        raise invalid("Idempotency-Key", "header", f"Expected 1 to {MAX_KEY} printable ASCII characters.")
    text = sha256(f"{request.method} {request.get_full_path()}\n".encode())
    text.update(body)
    return Idempotency(principal=principal, key=key, fingerprint=text.hexdigest())
