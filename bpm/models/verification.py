"""What has been verified, who looks at replays, and who may change a history. Outside the fold of a history."""

from __future__ import annotations

from django.db import models

from bpm.models.instances import ProcessInstance


class Verification(models.Model):
    """How far the sweep has verified an instance, and what it has found so far: a JSON list of names of findings."""

    instance = models.OneToOneField(
        ProcessInstance, on_delete=models.CASCADE, db_constraint=False, primary_key=True
    )
    verified_through = models.IntegerField()
    verified_at = models.DateTimeField()
    known = models.TextField(default="[]")

    def __str__(self) -> str:
        return f"{self.instance_id} through {self.verified_through}"


class VerificationPlace(models.Model):
    """Where the sweep is; whoever holds the one row until `held_until` goes on from `after`."""

    id = models.IntegerField(primary_key=True)
    after = models.UUIDField()
    held_by = models.CharField(max_length=255, default="", blank=True)
    held_until = models.DateTimeField()
    rounds = models.IntegerField(default=0)

    def __str__(self) -> str:
        return f"after {self.after}"


class ReplaySession(models.Model):
    """A replay that somebody goes through step by step; the state itself is folded when it is asked for."""

    id = models.UUIDField(primary_key=True)
    tenant = models.CharField(max_length=100, default="", blank=True)
    principal = models.CharField(max_length=255)
    instance = models.UUIDField()
    cursor = models.IntegerField()
    expires_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["expires_at"], name="bpm_replay_expiry")]

    def __str__(self) -> str:
        return f"{self.instance} at {self.cursor}"


class RetentionMarker(models.Model):
    """On SQLite: while a transaction holds a row of its own here, it may erase and remove events."""

    id = models.IntegerField(primary_key=True)

    def __str__(self) -> str:
        return str(self.id)
