"""What the shop keeps itself."""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class Order(models.Model):
    """One order and the process that handles it."""

    number = models.CharField(max_length=20, unique=True)
    instance = models.UUIDField(null=True)
    confirmed = models.BooleanField(default=False)
    objects: ClassVar[models.Manager[Order]] = models.Manager()

    class Meta:
        app_label = "shop"

    def __str__(self) -> str:
        return self.number
