"""Work for workers and for people. Written by `bpm.shell` only."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bpm.models.instances import ProcessInstance

_OPEN = ("READY", "LOCKED", "FAILED")


class ExternalTask(models.Model):
    """One external task (semantics §5). A leased one has worker, lease and expiry; an unleased one neither."""

    id = models.UUIDField(primary_key=True)
    instance = models.ForeignKey(
        ProcessInstance, on_delete=models.CASCADE, db_constraint=False, db_index=False
    )
    tenant = models.CharField(max_length=100, default="", blank=True)
    token = models.UUIDField()
    node = models.CharField(max_length=255)
    topic = models.CharField(max_length=255)
    status = models.CharField(max_length=12)
    suspended = models.BooleanField(default=False, db_default=False)
    priority = models.BigIntegerField()
    retries = models.IntegerField()
    initial_retries = models.IntegerField()
    worker = models.CharField(max_length=255, null=True)  # noqa: DJ001
    lease = models.IntegerField()
    lease_expires_at = models.DateTimeField(null=True)
    available_at = models.DateTimeField()
    expiries = models.IntegerField()
    failures = models.IntegerField()
    error = models.TextField(null=True)  # noqa: DJ001
    error_details = models.TextField(null=True)  # noqa: DJ001
    outcome = models.CharField(max_length=60, null=True)  # noqa: DJ001
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                "tenant",
                "topic",
                models.F("priority").desc(),
                "id",
                condition=Q(status="READY", suspended=False),
                name="bpm_external_ready",
            ),
            models.Index(
                fields=["lease_expires_at"],
                condition=Q(status="LOCKED", suspended=False),
                name="bpm_external_leases",
            ),
            models.Index(fields=["tenant", "id"], condition=Q(status="FAILED"), name="bpm_external_dead"),
            models.Index(
                fields=["instance"], condition=Q(closed_at__isnull=False), name="bpm_external_closed"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["instance", "token"], condition=Q(status__in=_OPEN), name="bpm_external_one_open"
            ),
            models.CheckConstraint(
                condition=Q(
                    status="LOCKED", worker__isnull=False, lease_expires_at__isnull=False, lease__gt=0
                )
                | (~Q(status="LOCKED") & Q(worker__isnull=True, lease_expires_at__isnull=True)),
                name="bpm_external_lease_is_whole",
            ),
            models.CheckConstraint(condition=Q(retries__gte=0), name="bpm_external_retries"),
        ]

    def __str__(self) -> str:
        return f"{self.topic} ({self.status})"


class UserTask(models.Model):
    """One user task (semantics §5). Candidates stand here as JSON lists, and in `UserTaskCandidate` for searching."""

    id = models.UUIDField(primary_key=True)
    instance = models.ForeignKey(
        ProcessInstance, on_delete=models.CASCADE, db_constraint=False, db_index=False
    )
    tenant = models.CharField(max_length=100, default="", blank=True)
    token = models.UUIDField()
    node = models.CharField(max_length=255)
    name = models.CharField(max_length=500)
    status = models.CharField(max_length=12)
    assignee = models.CharField(max_length=255, null=True)  # noqa: DJ001
    owner = models.CharField(max_length=255, null=True)  # noqa: DJ001
    candidate_users = models.TextField(default="[]")
    candidate_groups = models.TextField(default="[]")
    due_at = models.DateTimeField(null=True)
    follow_up_at = models.DateTimeField(null=True)
    priority = models.BigIntegerField()
    form_key = models.CharField(max_length=500, null=True)  # noqa: DJ001
    delegation = models.CharField(max_length=12, default="", blank=True)
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "id"], condition=Q(status="OPEN"), name="bpm_user_open"),
            models.Index(fields=["instance"], condition=Q(closed_at__isnull=False), name="bpm_user_closed"),
            models.Index(
                fields=["assignee", "id"],
                condition=Q(status="OPEN", assignee__isnull=False),
                name="bpm_user_assignee",
            ),
            models.Index(fields=["tenant", "due_at", "id"], condition=Q(status="OPEN"), name="bpm_user_due"),
            models.Index(
                "tenant",
                models.F("priority").desc(),
                "id",
                condition=Q(status="OPEN"),
                name="bpm_user_priority",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["instance", "token"], condition=Q(status="OPEN"), name="bpm_user_one_open"
            ),
            models.CheckConstraint(
                condition=Q(assignee__isnull=True) | ~Q(assignee=""), name="bpm_user_assignee_not_blank"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.status})"


class UserTaskCandidate(models.Model):
    """One user or group that may do an open or closed user task."""

    task = models.UUIDField()
    instance = models.ForeignKey(
        ProcessInstance, on_delete=models.CASCADE, db_constraint=False, db_index=False
    )
    kind = models.CharField(max_length=5)
    name = models.CharField(max_length=255)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "kind", "name"], name="bpm_candidate_once"),
        ]
        indexes = [models.Index(fields=["kind", "name", "task"], name="bpm_candidate_name")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class Comment(models.Model):
    """What somebody wrote to a user task."""

    id = models.UUIDField(primary_key=True)
    instance = models.ForeignKey(
        ProcessInstance, on_delete=models.CASCADE, db_constraint=False, db_index=False
    )
    tenant = models.CharField(max_length=100, default="", blank=True)
    task = models.UUIDField()
    node = models.CharField(max_length=255)
    author = models.CharField(max_length=255, default="", blank=True)
    message = models.TextField(default="", blank=True)
    created_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["task", "id"], name="bpm_comment_of_task"),
            models.Index(fields=["instance"], name="bpm_comment_of_instance"),
        ]

    def __str__(self) -> str:
        return f"{self.author} at {self.node}"
