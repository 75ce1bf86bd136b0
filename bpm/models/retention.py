"""How long ended instances are kept."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class RetentionRule(models.Model):
    """Ended instances of one process go `days` after their end; those without a rule as the setting says."""

    tenant = models.CharField(max_length=100, default="", blank=True)
    definition_key = models.CharField(max_length=255)
    days = models.IntegerField(null=True, blank=True, help_text="Empty: they are kept for good.")
    changed_at = models.DateTimeField()
    changed_by = models.CharField(max_length=255, default="", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "definition_key"], name="bpm_retention_rule"),
            models.CheckConstraint(
                condition=Q(days__isnull=True) | Q(days__gte=0), name="bpm_retention_days"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.definition_key}: {'for good' if self.days is None else f'{self.days} days'}"
