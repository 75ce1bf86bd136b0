"""The engine as a Django app."""

from __future__ import annotations

from django.apps import AppConfig, apps
from django.core.checks import Tags, register
from django.db.models.signals import post_migrate
from django.utils.module_loading import autodiscover_modules


class BpmConfig(AppConfig):
    """Registers the engine's models, commands, handlers and queue entry points."""

    name = "bpm"
    label = "bpm"
    verbose_name = "BPM engine"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Import `bpm_handlers` of each installed app; with django-q2, let each worker of a cluster tick."""
        autodiscover_modules("bpm_handlers")
        if not apps.is_installed("django_q"):
            return
        from django_q.signals import post_spawn

        from bpm.jobs.checks import check_queue
        from bpm.jobs.cluster import worker_ticker
        from bpm.jobs.schedules import keep_schedules

        register(check_queue, Tags.compatibility)
        post_spawn.connect(worker_ticker.start, dispatch_uid="bpm.jobs.cluster")
        post_migrate.connect(keep_schedules, sender=self, dispatch_uid="bpm.jobs.schedules")
