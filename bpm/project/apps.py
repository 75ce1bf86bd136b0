"""The project itself as a Django app, for what concerns its whole database."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate

from bpm.project.migrating import begin_migrating, end_migrating


class ProjectConfig(AppConfig):
    """Prepares sessions for migrations; it has no models."""

    name = "bpm.project"
    label = "bpm_project"
    verbose_name = "BPM engine project"

    def ready(self) -> None:
        """Connect the receivers around ``migrate``."""
        pre_migrate.connect(begin_migrating, dispatch_uid="bpm.project.begin_migrating")
        post_migrate.connect(end_migrating, dispatch_uid="bpm.project.end_migrating")
