"""Who may act for others."""

from __future__ import annotations

from rest_framework.request import Request

from api.request_errors import NotAllowed

PERMISSION = "bpm.operate"


def is_operator(request: Request) -> bool:
    """Return whether the caller is staff, a superuser, or has the permission `bpm.operate`."""
    user = request.user
    return bool(user.is_staff or user.has_perm(PERMISSION))


def require_operator(request: Request) -> None:
    """Refuse anyone but operators.

    Raises:
        NotAllowed: the caller is none.
    """
    if not is_operator(request):
        raise NotAllowed("This is an operator's act: it needs a staff account or the permission bpm.operate.")


def groups_of(request: Request) -> frozenset[str]:
    """Return the names of the caller's groups. One statement."""
    return frozenset(request.user.groups.values_list("name", flat=True))
