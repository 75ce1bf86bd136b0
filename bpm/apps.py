"""The engine as a Django app."""

from __future__ import annotations

from django.apps import AppConfig


class BpmConfig(AppConfig):
    """Registers the engine's models, commands and queue entry points."""

    name = "bpm"
    label = "bpm"
    verbose_name = "BPM engine"
    default_auto_field = "django.db.models.BigAutoField"
