"""Tokens and joins. Written by `bpm.shell` only."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from bpm.models.instances import ProcessInstance


class Token(models.Model):
    """One token (semantics §2)."""

    id = models.UUIDField(primary_key=True)
    instance = models.ForeignKey(
        ProcessInstance, on_delete=models.CASCADE, db_constraint=False, db_index=False
    )
    scope = models.UUIDField()
    node = models.CharField(max_length=255)
    status = models.CharField(max_length=12)
    wait = models.CharField(max_length=12, default="", blank=True)
    final = models.BooleanField()
    flow = models.CharField(max_length=255, null=True)  # noqa: DJ001
    groups = models.TextField(default="{}")
    parallel_group = models.UUIDField(null=True)
    join = models.UUIDField(null=True)
    mode = models.CharField(max_length=12, default="forward")
    attempt = models.IntegerField(default=0)
    phase = models.CharField(max_length=12, default="", blank=True)
    resumes_as = models.CharField(max_length=12, null=True)  # noqa: DJ001
    created_at = models.DateTimeField()
    called = models.UUIDField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["instance", "node"], condition=Q(final=False), name="bpm_token_live"),
            models.Index(fields=["instance"], condition=Q(final=True), name="bpm_token_ended"),
            models.Index(
                fields=["join", "flow", "id"],
                condition=Q(final=False, join__isnull=False),
                name="bpm_token_arrivals",
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=(Q(status="Terminated", final=True))
                | Q(status="Completed")
                | (~Q(status__in=("Terminated", "Completed")) & Q(final=False)),
                name="bpm_token_final_status",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.node} ({self.status})"


class ParallelJoinState(models.Model):
    """One waiting convergence: parallel, inclusive or complex (semantics §3)."""

    id = models.UUIDField(primary_key=True)
    instance = models.ForeignKey(
        ProcessInstance, on_delete=models.CASCADE, db_constraint=False, db_index=False
    )
    scope = models.UUIDField()
    node = models.CharField(max_length=255)
    group = models.UUIDField()
    kind = models.CharField(max_length=12)
    generation = models.IntegerField()
    expected = models.IntegerField()
    arrived = models.IntegerField()
    status = models.CharField(max_length=12)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    flows = models.TextField(default="[]")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["instance", "scope", "node", "group", "generation"], name="bpm_join_generation"
            ),
            models.UniqueConstraint(
                fields=["scope", "node", "group"], condition=Q(status="OPEN"), name="bpm_join_one_open"
            ),
            models.CheckConstraint(
                condition=Q(arrived__gte=0, arrived__lte=F("expected"), generation__gte=1),
                name="bpm_join_arrived",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.node} {self.arrived}/{self.expected}"
