"""What a human must look at, and what can be undone. Written by `bpm.shell` only."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bpm.models.instances import ProcessInstance


class Incident(models.Model):
    """Something a human must look at (semantics §1)."""

    id = models.UUIDField(primary_key=True)
    instance = models.ForeignKey(
        ProcessInstance, on_delete=models.CASCADE, db_constraint=False, db_index=False
    )
    tenant = models.CharField(max_length=100, default="", blank=True)
    kind = models.CharField(max_length=60)
    token = models.UUIDField(null=True)
    node = models.CharField(max_length=255)
    message = models.TextField(default="", blank=True)
    status = models.CharField(max_length=12)
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "id"], condition=Q(status="OPEN"), name="bpm_incident_open"),
            models.Index(
                fields=["instance"], condition=Q(closed_at__isnull=False), name="bpm_incident_closed"
            ),
            models.Index(
                fields=["instance", "token"], condition=Q(status="OPEN"), name="bpm_incident_of_instance"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.node} ({self.status})"


class CompensationRecord(models.Model):
    """A completed activity that can be compensated (semantics §8)."""

    id = models.UUIDField(primary_key=True)
    instance = models.ForeignKey(
        ProcessInstance, on_delete=models.CASCADE, db_constraint=False, db_index=False
    )
    scope = models.UUIDField()
    node = models.CharField(max_length=255)
    handler = models.CharField(max_length=255, null=True)  # noqa: DJ001 - none: what is inside is compensated
    inner = models.UUIDField(null=True)
    position = models.IntegerField()
    status = models.CharField(max_length=12)
    throw = models.UUIDField(null=True)
    waiter = models.UUIDField(null=True)
    target = models.UUIDField(null=True)
    opened = models.UUIDField(null=True)
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["instance", "position"],
                condition=Q(status__in=("OPEN", "TRIGGERED", "RUNNING")),
                name="bpm_compensation_live",
            ),
            models.Index(
                fields=["instance"], condition=Q(closed_at__isnull=False), name="bpm_compensation_closed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.node} #{self.position} ({self.status})"
