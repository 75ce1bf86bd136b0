"""Instances, their scopes and variables. Written by `bpm.shell` only."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bpm.models.definitions import Definition

_ENDED = ("COMPLETED", "CANCELLED")


class ProcessInstance(models.Model):
    """One run of a definition; the unit of locking. `last_sequence` and `head` are those of its newest event."""

    id = models.UUIDField(primary_key=True)
    tenant = models.CharField(max_length=100, default="", blank=True)
    definition = models.ForeignKey(
        Definition, on_delete=models.PROTECT, related_name="instances", db_index=False
    )
    definition_key = models.CharField(max_length=255)
    business_key = models.CharField(max_length=255, null=True)  # noqa: DJ001 - none and empty differ
    status = models.CharField(max_length=12)
    parent_instance = models.UUIDField(null=True)
    parent_token = models.UUIDField(null=True)
    root = models.UUIDField()
    suspended_because = models.CharField(max_length=60, null=True)  # noqa: DJ001
    live = models.IntegerField()
    failed = models.IntegerField()
    passive = models.IntegerField()
    incidents = models.IntegerField()
    conditions = models.IntegerField(default=0)
    last_sequence = models.IntegerField()
    passes = models.TextField(default="{}")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    updated_at = models.DateTimeField()
    revision = models.IntegerField()
    head = models.CharField(max_length=64)

    class Meta:
        permissions = [
            ("view", "See definitions, instances, history, incidents and all tasks"),
            ("start", "Start instances, send messages and signals, evaluate conditional starts"),
            (
                "operate",
                "Cancel, suspend, retry, modify, migrate; set variables; act for others in user tasks",
            ),
            ("deploy", "Deploy files"),
            ("work", "Fetch, complete and fail external tasks"),
            ("complete", "See, claim and complete user tasks that are one's own or offered to one"),
            ("administer", "Use the administration: users, groups, tokens, grants, tenants, limits"),
        ]
        indexes = [
            models.Index(fields=["tenant", "id"], name="bpm_instance_of_tenant"),
            models.Index(
                # The last two let the cockpit count what runs by version and status from the index alone.
                fields=["tenant", "definition_key", "id", "definition", "status"],
                condition=~Q(status__in=_ENDED),
                name="bpm_instance_running",
            ),
            models.Index(
                fields=["tenant", "ended_at"], condition=Q(ended_at__isnull=False), name="bpm_instance_ended"
            ),
            models.Index(
                fields=["tenant", "business_key", "id"],
                condition=Q(business_key__isnull=False),
                name="bpm_instance_business_key",
            ),
            models.Index(
                fields=["parent_instance"],
                condition=Q(parent_instance__isnull=False),
                name="bpm_instance_parent",
            ),
            models.Index(fields=["tenant", "id"], condition=Q(status="FAILED"), name="bpm_instance_failed"),
            models.Index(fields=["definition", "id"], name="bpm_instance_definition"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=(Q(status__in=_ENDED) & Q(ended_at__isnull=False) & Q(live=0))
                | (~Q(status__in=_ENDED) & Q(ended_at__isnull=True)),
                name="bpm_instance_ended_has_no_token",
            ),
            models.CheckConstraint(
                condition=Q(
                    live__gte=0, failed__gte=0, passive__gte=0, incidents__gte=0, last_sequence__gte=0
                ),
                name="bpm_instance_counts",
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)


class Scope(models.Model):
    """An entered scope; the process's own has the instance's id."""

    id = models.UUIDField(primary_key=True)
    instance = models.ForeignKey(
        ProcessInstance, on_delete=models.CASCADE, db_constraint=False, db_index=False
    )
    parent = models.UUIDField(null=True)
    node = models.CharField(max_length=255)
    kind = models.CharField(max_length=20)
    outer_token = models.UUIDField(null=True)
    status = models.CharField(max_length=12)
    live_tokens = models.IntegerField()
    live_scopes = models.IntegerField()
    open_joins = models.TextField(default="{}")
    begun = models.IntegerField(default=0)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    compensable = models.IntegerField(default=0)
    closing = models.CharField(max_length=12, default="", blank=True)
    cause = models.CharField(max_length=60, default="", blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["instance"], condition=Q(status="ACTIVE"), name="bpm_scope_active"),
            models.Index(fields=["instance"], condition=Q(ended_at__isnull=False), name="bpm_scope_ended"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status="ACTIVE") | Q(live_tokens=0, live_scopes=0),
                name="bpm_scope_ended_is_empty",
            ),
            models.CheckConstraint(
                condition=Q(live_tokens__gte=0, live_scopes__gte=0), name="bpm_scope_counts"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.node} ({self.status})"


class Variable(models.Model):
    """One variable of one scope; `value` is JSON text, never parsed by the database."""

    pk = models.CompositePrimaryKey("instance_id", "scope", "name")
    instance = models.ForeignKey(
        ProcessInstance, on_delete=models.CASCADE, db_constraint=False, db_index=False
    )
    scope = models.UUIDField()
    name = models.CharField(max_length=255)
    value = models.TextField()

    def __str__(self) -> str:
        return self.name
