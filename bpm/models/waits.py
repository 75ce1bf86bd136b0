"""Rows that wait for something: timers, jobs, subscriptions. Written by `bpm.shell` only."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bpm.models.definitions import Definition
from bpm.models.instances import ProcessInstance


class Timer(models.Model):
    """One due time of an instance, or of a definition's timer start (semantics §6)."""

    id = models.UUIDField(primary_key=True)
    instance = models.ForeignKey(
        ProcessInstance, null=True, on_delete=models.CASCADE, db_constraint=False, db_index=False
    )
    definition = models.ForeignKey(Definition, null=True, on_delete=models.CASCADE, db_index=False)
    tenant = models.CharField(max_length=100, default="", blank=True)
    token = models.UUIDField(null=True)
    scope = models.UUIDField(null=True)
    node = models.CharField(max_length=255)
    kind = models.CharField(max_length=12)
    status = models.CharField(max_length=12)
    suspended = models.BooleanField(default=False, db_default=False)
    due_at = models.DateTimeField()
    series = models.UUIDField()
    number = models.IntegerField()
    anchor = models.DateTimeField()
    expression = models.TextField()
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    priority = models.BigIntegerField(default=0, db_default=0)

    class Meta:
        indexes = [
            models.Index(
                models.F("priority").desc(),
                "due_at",
                condition=Q(status="SCHEDULED", suspended=False) & ~Q(priority=0),
                name="bpm_timer_due_by_priority",
            ),
            models.Index(
                fields=["due_at"], condition=Q(status="SCHEDULED", suspended=False), name="bpm_timer_due"
            ),
            models.Index(
                fields=["instance", "token"], condition=Q(status="SCHEDULED"), name="bpm_timer_of_instance"
            ),
            models.Index(
                fields=["scope"],
                condition=Q(status="SCHEDULED", token__isnull=True),
                name="bpm_timer_of_scope",
            ),
            models.Index(fields=["instance"], condition=Q(closed_at__isnull=False), name="bpm_timer_closed"),
            models.Index(
                fields=["due_at"],
                condition=Q(status="SCHEDULED", definition__isnull=False),
                name="bpm_timer_starts",
            ),
            models.Index(
                fields=["definition"],
                condition=Q(status="SCHEDULED", definition__isnull=False),
                name="bpm_timer_of_definition",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["series", "due_at"], name="bpm_timer_once"),
            models.CheckConstraint(
                condition=Q(instance__isnull=False, definition__isnull=True)
                | Q(instance__isnull=True, definition__isnull=False),
                name="bpm_timer_owner",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.node} {self.due_at:%Y-%m-%d %H:%M:%S} ({self.status})"


class Job(models.Model):
    """Due work of the engine (semantics §4, §5). `owner` and `lease_expires_at` are outside the history."""

    id = models.UUIDField(primary_key=True)
    instance = models.ForeignKey(
        ProcessInstance, on_delete=models.CASCADE, db_constraint=False, db_index=False
    )
    tenant = models.CharField(max_length=100, default="", blank=True)
    token = models.UUIDField()
    node = models.CharField(max_length=255)
    kind = models.CharField(max_length=12)
    handler = models.CharField(max_length=500, default="", blank=True)
    status = models.CharField(max_length=12)
    suspended = models.BooleanField(default=False, db_default=False)
    retries = models.IntegerField()
    initial_retries = models.IntegerField()
    attempts = models.IntegerField()
    crashes = models.IntegerField()
    available_at = models.DateTimeField()
    error = models.TextField(null=True)  # noqa: DJ001
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    kept = models.TextField(null=True)  # noqa: DJ001
    owner = models.CharField(max_length=255, null=True)  # noqa: DJ001
    lease_expires_at = models.DateTimeField(null=True)
    priority = models.BigIntegerField(default=0, db_default=0)

    class Meta:
        indexes = [
            models.Index(
                models.F("priority").desc(),
                "available_at",
                condition=Q(status="READY", suspended=False) & ~Q(priority=0),
                name="bpm_job_due_by_priority",
            ),
            models.Index(
                fields=["available_at"], condition=Q(status="READY", suspended=False), name="bpm_job_due"
            ),
            models.Index(fields=["lease_expires_at"], condition=Q(status="RUNNING"), name="bpm_job_leases"),
            models.Index(fields=["instance"], condition=Q(closed_at__isnull=False), name="bpm_job_closed"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["instance", "token"],
                condition=Q(status__in=("READY", "RUNNING", "FAILED")),
                name="bpm_job_one_open",
            ),
            models.CheckConstraint(condition=Q(retries__gte=0), name="bpm_job_retries"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.node} ({self.status})"


class Subscription(models.Model):
    """A waiting catch of an instance, or a definition's start by message, signal or condition (semantics §7)."""

    id = models.UUIDField(primary_key=True)
    instance = models.ForeignKey(
        ProcessInstance, null=True, on_delete=models.CASCADE, db_constraint=False, db_index=False
    )
    definition = models.ForeignKey(Definition, null=True, on_delete=models.CASCADE, db_index=False)
    tenant = models.CharField(max_length=100, default="", blank=True)
    kind = models.CharField(max_length=12)
    name = models.CharField(max_length=255)
    correlation = models.TextField(default="{}")
    token = models.UUIDField(null=True)
    scope = models.UUIDField(null=True)
    node = models.CharField(max_length=255)
    interrupting = models.BooleanField(default=True)
    status = models.CharField(max_length=12)
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["tenant", "kind", "name", "correlation", "id"],
                condition=Q(status="OPEN"),
                name="bpm_subscription_open",
            ),
            models.Index(
                fields=["instance", "token"],
                condition=Q(status="OPEN"),
                name="bpm_subscription_of_instance",
            ),
            models.Index(
                fields=["scope"],
                condition=Q(status="OPEN", token__isnull=True),
                name="bpm_subscription_of_scope",
            ),
            models.Index(
                fields=["definition"],
                condition=Q(status="OPEN", definition__isnull=False),
                name="bpm_subscription_of_version",
            ),
            models.Index(
                fields=["instance"], condition=Q(closed_at__isnull=False), name="bpm_subscription_closed"
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(instance__isnull=False, definition__isnull=True)
                | Q(instance__isnull=True, definition__isnull=False),
                name="bpm_subscription_owner",
            ),
            models.UniqueConstraint(
                fields=["tenant", "name"],
                condition=Q(kind="message", status="OPEN", definition__isnull=False),
                name="bpm_start_message_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name} ({self.status})"
