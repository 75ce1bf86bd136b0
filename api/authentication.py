"""Who calls: a machine by token, a person by session, or, in demos, whoever sits at this machine."""

from __future__ import annotations

from hmac import compare_digest
from typing import Any, Final
from urllib.parse import urlsplit

from django.http.request import split_domain_port
from django.utils import timezone
from knox.auth import TokenAuthentication
from knox.crypto import hash_token
from knox.models import AuthToken
from knox.settings import CONSTANTS
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from api.limits import is_open_on_loopback

_LOOPBACK: Final = frozenset({"127.0.0.1", "::1"})
_LOOPBACK_HOSTS: Final = frozenset({"127.0.0.1", "[::1]", "localhost"})


class MachineToken(TokenAuthentication):  # type: ignore[misc]
    """`Authorization: Token <key>`. One statement; reading writes nothing, an expired token only stops working."""

    def authenticate_credentials(self, token: bytes) -> Any:
        """Return user and token.

        Raises:
            AuthenticationFailed: no such token, expired, or the user is not active.
        """
        key = token.decode("ascii", errors="replace")
        if not (key.isascii() and key.isprintable()):
            raise AuthenticationFailed("Invalid token.")
        digest = hash_token(key)
        start = key[: CONSTANTS.TOKEN_KEY_LENGTH]
        for found in AuthToken.objects.select_related("user", "scope").filter(token_key=start):
            if compare_digest(digest, found.digest):
                if found.expiry is not None and found.expiry < timezone.now():
                    raise AuthenticationFailed("The token has expired.")
                return self.validate_user(found)
        raise AuthenticationFailed("Invalid token.")


class DemoUser:
    """Somebody at this machine, while the demo is open; may do everything."""

    pk = None
    username = "anonymous demo"
    is_authenticated = True
    is_active = True
    is_anonymous = False
    is_staff = True
    is_superuser = True

    def get_username(self) -> str:
        """Return the name that stands as actor in the history."""
        return self.username


class OpenLoopback(BaseAuthentication):
    """Requests that programs on this machine send to it, where `BPM["OPEN_ON_LOOPBACK"]` says so."""

    def authenticate(self, request: Request) -> tuple[DemoUser, None] | None:
        """Return the demo's user, or None where the request may come from elsewhere."""
        return (DemoUser(), None) if is_open_on_loopback() and _is_from_here(request) else None


def _is_from_here(request: Request) -> bool:
    meta = request.META
    host, _ = split_domain_port(request.get_host())
    if meta.get("REMOTE_ADDR") not in _LOOPBACK or host not in _LOOPBACK_HOSTS:
        return False
    if "HTTP_X_FORWARDED_FOR" in meta or "HTTP_FORWARDED" in meta:
        return False
    # A page of another site, open in a browser on this machine, also comes from the loopback address.
    origin = meta.get("HTTP_ORIGIN")
    if origin is not None and urlsplit(origin).netloc != request.get_host():
        return False
    return meta.get("HTTP_SEC_FETCH_SITE", "none") in ("none", "same-origin")


AUTHENTICATION: Final = (MachineToken, SessionAuthentication, OpenLoopback)
"""In this order; the first one's scheme stands in `WWW-Authenticate`."""
