"""What the task pages change: the only module of the pages that reaches the write front door."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from django.http import HttpRequest

from bpm import engine
from bpm.engine import Idempotency
from bpm.queries.task_list import Viewer
from cockpit.tasklist.access import tenant_of

Refusal = engine.errors.Refused

KEY: Final = "once"
"""Name of the hidden field that makes a form count once, however often it is sent."""
_UNSIGNED: Final = frozenset({"csrfmiddlewaretoken"})


@dataclass(frozen=True, slots=True)
class Submission:
    """One form that somebody has sent.

    Attributes:
        user: as whom the engine lets the task be changed; None for an operator who acts for others.
    """

    tenant: str
    actor: str
    user: str | None
    groups: frozenset[str]
    key: Idempotency | None

    @property
    def context(self) -> dict[str, Any]:
        """What every call of the front door takes."""
        return {"tenant": self.tenant, "actor": self.actor, "key": self.key}


def read_submission(request: HttpRequest, viewer: Viewer, *, for_others: bool = False) -> Submission:
    """Return who sends what; `for_others`: as an operator, which the caller has checked."""
    return Submission(
        tenant=tenant_of(request),
        actor=viewer.user,
        user=None if for_others else viewer.user,
        groups=viewer.groups,
        key=_key(request, viewer.user),
    )


def _key(request: HttpRequest, user: str) -> Idempotency | None:
    key = request.POST.get(KEY, "")
    if not (1 <= len(key) <= 255 and key.isascii() and key.isprintable()):
        return None
    text = sha256(request.path.encode())
    for name, values in sorted(request.POST.lists()):
        if name not in _UNSIGNED:
            text.update(repr((name, values)).encode())
    return Idempotency(principal=user, key=f"page:{key[:200]}", fingerprint=text.hexdigest())


def attempt(act: Callable[[], dict[str, Any]]) -> dict[str, Any] | Refusal:
    """Return the answer, or the refusal: that is something to tell, not an error of the page."""
    try:
        return act()
    except Refusal as refusal:
        return refusal


def complete(sent: Submission, task: str, variables: dict[str, Any]) -> dict[str, Any] | Refusal:
    """Complete a task."""
    return attempt(
        lambda: engine.complete_task(
            task, variables=variables, user=sent.user, groups=sent.groups, **sent.context
        )
    )


def resolve(sent: Submission, task: str, variables: dict[str, Any]) -> dict[str, Any] | Refusal:
    """Give a delegated task back to its owner."""
    return attempt(lambda: engine.resolve_task(task, variables=variables, by=sent.user, **sent.context))


def claim(sent: Submission, task: str) -> dict[str, Any] | Refusal:
    """Take a task."""
    check = sent.user is not None
    return attempt(
        lambda: engine.claim_task(task, user=sent.actor, groups=sent.groups, check=check, **sent.context)
    )


def release(sent: Submission, task: str) -> dict[str, Any] | Refusal:
    """Give a task back to its candidates."""
    return attempt(lambda: engine.unclaim_task(task, user=sent.user, **sent.context))


def delegate(sent: Submission, task: str, assignee: str) -> dict[str, Any] | Refusal:
    """Let somebody else do a part of a task."""
    return attempt(lambda: engine.delegate_task(task, assignee=assignee, by=sent.user, **sent.context))


def assign(sent: Submission, task: str, assignee: str) -> dict[str, Any] | Refusal:
    """Give a task to somebody, or to nobody."""
    return attempt(lambda: engine.assign_task(task, assignee=assignee, **sent.context))


def comment(sent: Submission, task: str, message: str) -> dict[str, Any] | Refusal:
    """Write something to a task."""
    return attempt(lambda: engine.comment_task(task, message=message, **sent.context))


def start(
    sent: Submission, definition: str, business_key: str | None, variables: dict[str, Any]
) -> dict[str, Any] | Refusal:
    """Start an instance of a version."""
    return attempt(
        lambda: engine.start(definition, business_key=business_key, variables=variables, **sent.context)
    )
