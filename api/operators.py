"""Who may act for others."""

from __future__ import annotations

from rest_framework.request import Request

from api.request_errors import NotAllowed
from bpm.access.caller import present_caller
from bpm.access.permissions import Permission


def is_operator(request: Request) -> bool:
    """Return whether the caller may operate what the address names."""
    caller = present_caller()
    return caller is not None and caller.may(Permission.OPERATE)


def require_operator(request: Request) -> None:
    """Refuse anyone but operators, where the rule of the address lets others pass too.

    Raises:
        NotAllowed: the caller is none.
    """
    if not is_operator(request):
        raise NotAllowed("This is an operator's act: it needs the permission bpm.operate.")


def groups_of(request: Request) -> frozenset[str]:
    """Return the names of the caller's groups. No statement: they have come with its rights."""
    caller = present_caller()
    return caller.account.groups if caller is not None else frozenset()
