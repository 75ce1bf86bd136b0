"""Access as a Django app of its own, so that a project may install the engine without users."""

from __future__ import annotations

from django.apps import AppConfig


class AccessConfig(AppConfig):
    """Registers grants, memberships, token scopes and limits."""

    name = "bpm.access"
    label = "bpm_access"
    verbose_name = "BPM engine access"
    default_auto_field = "django.db.models.BigAutoField"
