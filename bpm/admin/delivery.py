"""What is on its way, and what the engine keeps for itself."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from bpm.admin.links import column
from bpm.admin.read_only import ReadOnlyAdmin
from bpm.models import Heartbeat, IdempotencyRecord, MessageBuffer, Outbox


@admin.register(Outbox)
class OutboxAdmin(ReadOnlyAdmin):
    """Commands from one instance to another."""

    list_display = ("id", "command", "of_source", "of_target", "attempts", "available_at", "tenant")
    texts = ("command", "tenant")
    ids = ("source", "target")
    of_source = column("source", "processinstance", _("From"))
    of_target = column("target", "processinstance", _("To"))


@admin.register(MessageBuffer)
class MessageBufferAdmin(ReadOnlyAdmin):
    """Messages that wait for a receiver."""

    list_display = ("id", "name", "message_id", "tenant", "created_at", "expires_at")
    texts = ("name", "message_id", "tenant")


@admin.register(IdempotencyRecord)
class IdempotencyRecordAdmin(ReadOnlyAdmin):
    """Idempotency keys that were used."""

    list_display = ("id", "principal", "key", "tenant", "created_at")
    texts = ("key", "principal", "tenant")
    ids = ("key",)


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnlyAdmin):
    """Signs of life of the loops."""

    list_display = ("name", "started_at", "seen_at", "lag_ms")
    ordering = ("name",)
    texts = ("name",)
    ids = ()
