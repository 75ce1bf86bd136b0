"""The cockpit as a Django app; it has no models."""

from __future__ import annotations

from django.apps import AppConfig


class CockpitConfig(AppConfig):
    """Pages, template tags and static files."""

    name = "cockpit"
    verbose_name = "BPM cockpit"
