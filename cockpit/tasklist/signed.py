"""Signed texts: proofs of what somebody was shown or has done, for when the task is no longer theirs."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.core import signing
from django.http import Http404
from django.urls import reverse

from bpm.queries.task_list import Viewer
from bpm.queries.user_tasks import UserTaskRow

_SALT: Final = "cockpit.tasklist.after"
_SALT_SHOWN: Final = "cockpit.tasklist.shown"
_AGE_S: Final = 86_400
SHOWN: Final = "shown"
"""Name of the hidden field with the proof that a task's page was shown."""


def shown_to(task_id: UUID, viewer: Viewer) -> str:
    """Return the proof that a viewer was shown a task."""
    return signing.dumps([str(task_id), viewer.user], salt=_SALT_SHOWN)


def was_shown(proof: str, task_id: UUID, viewer: Viewer) -> bool:
    """Return whether a proof is this viewer's for this task."""
    try:
        return bool(signing.loads(proof, salt=_SALT_SHOWN) == [str(task_id), viewer.user])
    except signing.BadSignature:
        return False


def address_after(viewer: Viewer, row: UserTaskRow, *, resolved: bool) -> str:
    """Return the address of what comes after a task."""
    what = {"done": row.name, "instance": str(row.instance_id), "user": viewer.user, "resolved": resolved}
    return _address(what)


def address_after_start(viewer: Viewer, process: str, instance: str) -> str:
    """Return the address of what comes after a start."""
    return _address({"started": process, "instance": instance, "user": viewer.user})


def _address(what: dict[str, Any]) -> str:
    return reverse("tasklist:after", args=[signing.dumps(what, salt=_SALT, compress=True)])


def read_signed(text: str, viewer: Viewer) -> dict[str, Any]:
    """Return what an address of ours says to whom it was given.

    Raises:
        Http404: not ours, another user's, or older than a day.
    """
    try:
        found = signing.loads(text, salt=_SALT, max_age=_AGE_S)
    except signing.BadSignature as error:
        raise Http404 from error
    if not isinstance(found, dict) or found.get("user") != viewer.user:
        raise Http404
    return found
