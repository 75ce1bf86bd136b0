"""Forms that were deployed as files of their own. Written by `bpm.shell` only."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bpm.models.definitions import Deployment, Resource


class FormDefinition(models.Model):
    """One version of one form, as Camunda form JSON. Never changed."""

    id = models.UUIDField(primary_key=True)
    tenant = models.CharField(max_length=100, default="", blank=True)
    key = models.CharField(max_length=255)
    version = models.IntegerField()
    deployment = models.ForeignKey(Deployment, on_delete=models.CASCADE, related_name="forms")
    resource = models.ForeignKey(Resource, on_delete=models.CASCADE, related_name="forms")
    checksum = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "key", "version"], name="bpm_form_version"),
            models.CheckConstraint(condition=Q(version__gte=1), name="bpm_form_version_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.key} v{self.version}"
