"""What was deployed: files, and the versions of processes in them (semantics §12)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class Deployment(models.Model):
    """One call of deploy: all of its files, or nothing. Written by `bpm.shell.deploy`, never changed."""

    id = models.UUIDField(primary_key=True)
    tenant = models.CharField(max_length=100, default="", blank=True)
    name = models.CharField(max_length=255, default="", blank=True)
    actor = models.CharField(max_length=255, default="", blank=True)
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["tenant", "-created_at"], name="bpm_deployment_newest")]

    def __str__(self) -> str:
        return self.name or str(self.id)


class Resource(models.Model):
    """One file, byte for byte as it was deployed."""

    id = models.UUIDField(primary_key=True)
    deployment = models.ForeignKey(Deployment, on_delete=models.CASCADE, related_name="resources")
    name = models.CharField(max_length=255)
    content = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["deployment", "name"], name="bpm_resource_name")]

    def __str__(self) -> str:
        return self.name


class DefinitionKey(models.Model):
    """One process key of one tenant. Its row is the lock of everything that concerns the key."""

    id = models.UUIDField(primary_key=True)
    tenant = models.CharField(max_length=100, default="", blank=True)
    key = models.CharField(max_length=255)
    latest = models.ForeignKey("Definition", null=True, on_delete=models.SET_NULL, related_name="+")
    events = models.IntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "key"], name="bpm_definition_key")]

    def __str__(self) -> str:
        return self.key


class Definition(models.Model):
    """One version of one process. Immutable but for `suspended`; a deleted one stays for the history.

    `checksum` is of the file's content as far as it means anything: equal content makes no new version.
    """

    id = models.UUIDField(primary_key=True)
    tenant = models.CharField(max_length=100, default="", blank=True)
    key = models.CharField(max_length=255)
    version = models.IntegerField()
    version_tag = models.CharField(max_length=255, default="", blank=True)
    name = models.CharField(max_length=255, default="", blank=True)
    deployment = models.ForeignKey(Deployment, on_delete=models.CASCADE, related_name="definitions")
    resource = models.ForeignKey(Resource, on_delete=models.CASCADE, related_name="definitions")
    checksum = models.CharField(max_length=64)
    executable = models.BooleanField()
    suspended = models.BooleanField(default=False, db_default=False)
    warnings = models.TextField(default="[]")
    created_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "key", "version"], name="bpm_definition_version"),
            models.CheckConstraint(condition=Q(version__gte=1), name="bpm_definition_version_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.key} v{self.version}"


class DefinitionEvent(models.Model):
    """One fact about a definition key: deployed, suspended, deleted …. Append only."""

    tenant = models.CharField(max_length=100, default="", blank=True)
    key = models.CharField(max_length=255)
    sequence = models.IntegerField()
    event_type = models.CharField(max_length=60)
    occurred_at = models.DateTimeField()
    actor = models.CharField(max_length=255, default="", blank=True)
    payload = models.TextField(default="{}")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "key", "sequence"], name="bpm_definition_event_sequence"
            )
        ]

    def __str__(self) -> str:
        return f"{self.key} #{self.sequence} {self.event_type}"
