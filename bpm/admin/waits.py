"""What waits for a time, a message, a loop."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from bpm.admin.filters import one_of
from bpm.admin.links import column
from bpm.admin.read_only import ReadOnlyAdmin
from bpm.core.rows import JobStatus, TimerStatus
from bpm.models import Job, Subscription, Timer


@admin.register(Timer)
class TimerAdmin(ReadOnlyAdmin):
    """Timers."""

    list_display = (
        "id",
        "node",
        "kind",
        "status",
        "due_at",
        "number",
        "of_instance",
        "of_definition",
        "of_token",
    )
    list_filter = (one_of("status", _("status"), [one.value for one in TimerStatus]), "suspended")
    texts = ("node", "tenant")
    ids = ("pk", "instance", "definition", "token", "scope", "series")
    of_instance = column("instance_id", "processinstance", _("Instance"))
    of_definition = column("definition_id", "definition", _("Definition"))
    of_token = column("token", "token", _("Token"))


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    """Jobs."""

    list_display = (
        "id",
        "node",
        "kind",
        "handler",
        "status",
        "retries",
        "available_at",
        "owner",
        "of_instance",
    )
    list_filter = (one_of("status", _("status"), [one.value for one in JobStatus]), "suspended")
    texts = ("node", "handler", "owner", "tenant")
    ids = ("pk", "instance", "token")
    of_instance = column("instance_id", "processinstance", _("Instance"))


@admin.register(Subscription)
class SubscriptionAdmin(ReadOnlyAdmin):
    """Subscriptions."""

    list_display = ("id", "kind", "name", "node", "status", "of_instance", "of_definition", "created_at")
    list_filter = (
        one_of("status", _("status"), ("OPEN", "TRIGGERED", "CANCELLED")),
        one_of("kind", _("kind"), ("message", "signal", "condition")),
    )
    texts = ("name", "node", "tenant")
    ids = ("pk", "instance", "definition", "token", "scope")
    of_instance = column("instance_id", "processinstance", _("Instance"))
    of_definition = column("definition_id", "definition", _("Definition"))
