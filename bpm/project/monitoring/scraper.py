"""Who may read the metrics."""

from __future__ import annotations

import hmac

from django.conf import settings
from django.http import HttpRequest


def may_scrape(request: HttpRequest) -> bool:
    """Return whether the request carries the metrics' own token as bearer, or a logged-in superuser's session.

    The token stands in an environment variable, since Prometheus is no user of the application.
    """
    expected = str(settings.METRICS_TOKEN)
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if expected and scheme.lower() == "bearer":
        return hmac.compare_digest(given.strip().encode(), expected.encode())
    user = getattr(request, "user", None)
    return bool(user is not None and user.is_active and user.is_superuser)
