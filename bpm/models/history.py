"""The append-only history (semantics §10). Written by `bpm.shell` only; nothing updates or deletes it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bpm.models.instances import ProcessInstance


class HistoryEvent(models.Model):
    """One fact. `payload` is canonical JSON text; `hash` chains it to the event before.

    `digest` stands only where payload and salt were erased, else it follows from them.
    """

    pk = models.CompositePrimaryKey("instance_id", "sequence")
    instance = models.ForeignKey(
        ProcessInstance, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="history"
    )
    sequence = models.IntegerField()
    event_type = models.CharField(max_length=60)
    category = models.CharField(max_length=12)
    occurred_at = models.DateTimeField()
    token = models.UUIDField(null=True)
    node = models.CharField(max_length=255, null=True)  # noqa: DJ001
    actor = models.CharField(max_length=255, default="", blank=True)
    final = models.BooleanField()
    payload = models.TextField()
    salt = models.CharField(max_length=32, default="", blank=True)
    digest = models.CharField(max_length=64, null=True)  # noqa: DJ001
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["instance", "token"], condition=Q(final=True), name="bpm_history_token_final_once"
            ),
            models.CheckConstraint(condition=Q(sequence__gte=0), name="bpm_history_sequence"),
            models.CheckConstraint(
                condition=Q(final=False) | Q(token__isnull=False), name="bpm_history_final_has_token"
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.sequence} {self.event_type}"
