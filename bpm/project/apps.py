"""The project itself as a Django app, for what concerns its whole database."""

from __future__ import annotations

import gc
from pathlib import Path

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import Tags, register
from django.core.exceptions import ImproperlyConfigured
from django.db.models.signals import post_migrate, pre_migrate

from bpm.project.migrating import begin_migrating, end_migrating


class ProjectConfig(AppConfig):
    """Prepares sessions for migrations and watches what the engine does; it has no models."""

    name = "bpm.project"
    label = "bpm_project"
    verbose_name = "BPM engine project"

    def ready(self) -> None:
        """Connect the receivers around ``migrate`` and the observers of commands; settle what has been loaded."""
        pre_migrate.connect(begin_migrating, dispatch_uid="bpm.project.begin_migrating")
        post_migrate.connect(end_migrating, dispatch_uid="bpm.project.end_migrating")
        self._watch()
        self._check()
        # What is loaded by now stays. The collector of cycles need not go through it again, each time it goes through
        # what is kept between commands.
        gc.freeze()

    def _check(self) -> None:
        from bpm.project.checks import (
            check_openness,
            check_production,
            check_retention_folder,
            check_variables,
        )

        register(check_variables, Tags.security)
        register(check_openness, Tags.security)
        register(check_retention_folder, Tags.files)
        register(check_production, Tags.security, deploy=True)

    def _watch(self) -> None:
        from bpm import engine
        from bpm.project.monitoring.command_log import log_commands
        from bpm.project.monitoring.process_files import use_folder
        from bpm.project.monitoring.traces import span_maker

        engine.watch(log_commands)
        if settings.METRICS:
            use_folder(Path(settings.VAR_DIR) / "metrics")
            from bpm.project.monitoring.command_metrics import command_metrics

            engine.watch(command_metrics())
        record = span_maker() if settings.TRACES else None
        if record is not None:
            engine.watch(record)
        elif settings.TRACES:
            raise ImproperlyConfigured("BPM_TRACES=1: the package opentelemetry-api is not installed.")
