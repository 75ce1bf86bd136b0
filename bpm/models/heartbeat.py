"""Signs of life of the loops."""

from __future__ import annotations

from django.db import models


class Heartbeat(models.Model):
    """Newest sign of life of one ticker; written by itself about once a second."""

    name = models.CharField(max_length=255, primary_key=True)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    ticks = models.BigIntegerField(default=0)
    lag_ms = models.IntegerField(default=0)

    def __str__(self) -> str:
        return self.name
