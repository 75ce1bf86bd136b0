"""Refusals of the engine in the words of the pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

_WORDS: Final[Mapping[str, Any]] = {
    "TaskNotFound": _("This task is not there any more."),
    "TaskClosed": _(
        "Somebody else was faster, or the task was cancelled: it is closed. What you typed is still below."
    ),
    "TaskNotYours": _("The task is somebody else's now. What you typed is still below."),
    "TaskDelegated": _("The task was delegated: whoever has it now gives it back first."),
    "Suspended": _("The process is suspended: nothing can be done in it until an operator activates it."),
    "InstanceEnded": _("The process has ended meanwhile. What you typed is still below."),
    "Busy": _("The process is busy. Nothing was changed: try again."),
    "IdempotencyInProgress": _("This form is being worked on already. Look again in a moment."),
    "IdempotencyMismatch": _("This form was sent before with other content. Load the page anew."),
    "NotStartable": _("This process cannot be started now."),
    "DefinitionNotFound": _("This process is not there any more."),
}


def words_of(code: str, message: str) -> str:
    """Return what to tell for a refusal; what has no words here speaks for itself."""
    return str(_WORDS.get(code, message))
