"""What is on its way: between instances, from outside, and answers already given. Outside the fold of a history."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class Outbox(models.Model):
    """A command for another instance, written in the transaction that caused it (semantics §11).

    Rows of one target are delivered in the order of their ids; those without target (messages, signal starts) in the
    order of their ids per source. `source` is the nil UUID for what came from outside.
    """

    id = models.BigAutoField(primary_key=True)
    tenant = models.CharField(max_length=100, default="", blank=True)
    source = models.UUIDField()
    target = models.UUIDField(null=True)
    command = models.CharField(max_length=60)
    payload = models.TextField()
    attempts = models.IntegerField(default=0)
    error = models.TextField(null=True)  # noqa: DJ001
    available_at = models.DateTimeField()
    created_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["available_at"], name="bpm_outbox_due"),
            models.Index(
                fields=["target", "id"], condition=Q(target__isnull=False), name="bpm_outbox_target"
            ),
            models.Index(fields=["source", "id"], condition=Q(target__isnull=True), name="bpm_outbox_source"),
        ]

    def __str__(self) -> str:
        return f"{self.command} for {self.target}"


class MessageBuffer(models.Model):
    """A message that waits for a subscription until it expires (semantics §7)."""

    id = models.UUIDField(primary_key=True)
    tenant = models.CharField(max_length=100, default="", blank=True)
    name = models.CharField(max_length=255)
    message_id = models.CharField(max_length=255, null=True)  # noqa: DJ001
    correlation = models.TextField(default="{}")
    payload = models.TextField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "name", "id"], name="bpm_buffer_name"),
            models.Index(fields=["expires_at"], name="bpm_buffer_expiry"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "message_id"],
                condition=Q(message_id__isnull=False),
                name="bpm_buffer_message_id",
            )
        ]

    def __str__(self) -> str:
        return self.name


class IdempotencyRecord(models.Model):
    """The answer to a call with an idempotency key, kept 24 hours (semantics §11)."""

    tenant = models.CharField(max_length=100, default="", blank=True)
    principal = models.CharField(max_length=255)
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    answer = models.TextField(null=True)  # noqa: DJ001
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "principal", "key"], name="bpm_idempotency_key")
        ]
        indexes = [models.Index(fields=["created_at"], name="bpm_idempotency_age")]

    def __str__(self) -> str:
        return self.key
